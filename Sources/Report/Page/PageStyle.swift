/// The colors of a report, each with a contrast of at least 4.5 to its background.
struct ReportColors {
  let page: String
  let card: String
  let text: String
  let muted: String
  let line: String
  let good: String
  let bad: String
  let letter: String
  let cpu: String
  let cpuMost: String
  /// The colors of phases, in the order in which these were first entered; also of the bars of histograms. The last,
  /// red, is only for phases that request it.
  let phases: [String]

  static let light = ReportColors(
    page: "#f6f8fa", card: "#ffffff", text: "#1f2328", muted: "#59636e", line: "#d1d9e0",
    good: "#116329", bad: "#b3261e", letter: "#ffffff", cpu: "#0b62c4", cpuMost: "#a9cdf5",
    phases: [
      "#0b62c4", "#b3421b", "#1a7340", "#8a3fb0", "#8a5d00", "#0e7080", "#b3266b", "#4d5763",
      "#b3261e",
    ])

  static let dark = ReportColors(
    page: "#0d1117", card: "#161b22", text: "#e6edf3", muted: "#9da7b3", line: "#30363d",
    good: "#6bd38f", bad: "#ff9e94", letter: "#0d1117", cpu: "#6cb6ff", cpuMost: "#2b4a70",
    phases: [
      "#6cb6ff", "#f69d6b", "#6bd38f", "#d2a8ff", "#e3b341", "#56d4dd", "#ff9bce", "#adbac7",
      "#ff9e94",
    ])

  /// The CSS rules of the graphs.
  var graphRules: String {
    var rules = """
      .label{fill:\(muted)}.strong{fill:\(text)}.letter{fill:\(letter)}
      .grid{stroke:\(line)}.axis{stroke:\(muted)}
      .mark{stroke:\(text)}.percentile{stroke:\(text)}.cursor{stroke:\(text)}
      .cpu{fill:\(cpu)}.cpu-most{fill:\(cpuMost)}.bar,.p0{fill:\(phases[0])}.pn{fill:\(muted)}

      """
    for (index, color) in phases.enumerated().dropFirst() {
      rules += ".p\(index){fill:\(color)}"
    }
    return rules + "\n"
  }

  /// The CSS rules of the page.
  fileprivate var pageRules: String {
    """
    body{background:\(page);color:\(text)}
    .card{background:\(card);border-color:\(line)}
    .muted,dt,th,figcaption,summary{color:\(muted)}
    th,td{border-color:\(line)}a{color:\(cpu)}
    .good strong{color:\(good)}.bad strong,tr.bad,dd.bad{color:\(bad)}
    .verdict.good{border-left-color:\(good)}.verdict.bad{border-left-color:\(bad)}
    .verdict.uncertain{border-left-color:\(muted)}

    """ + graphRules
  }
}

/// The style of a report. It contains no `<` and no `&`, so it is also well-formed XML.
enum PageStyle {
  /// The rules that graphs need both in a page and in a picture.
  static let graph = """
    text{font:12.5px system-ui,"DejaVu Sans",sans-serif}
    .letter,.strong{font-weight:600}
    .grid,.axis,.mark,.percentile,.cursor{fill:none;stroke-width:1}
    .mark{stroke-dasharray:4 3}.percentile{stroke-width:1.5;stroke-dasharray:5 3}

    """

  static let page = """
    :root{color-scheme:light dark}
    *{box-sizing:border-box}
    body{margin:0;font:16px/1.5 system-ui,"DejaVu Sans",sans-serif}
    main{max-width:64rem;margin:0 auto;padding:1.5rem 1rem 3rem}
    h1{font-size:1.5rem;line-height:1.25;margin:0 0 1rem;overflow-wrap:anywhere}
    h2{font-size:1.2rem;margin:2rem 0 .6rem;overflow-wrap:anywhere}
    h3{font-size:1rem;margin:1.4rem 0 .5rem}
    p{margin:0 0 .5rem}
    .card{border:1px solid;border-radius:8px;padding:1rem;margin:0 0 1rem}
    .verdict{border-left-width:6px;font-size:1.15rem;overflow-wrap:anywhere}
    .verdict strong{display:block;font-size:.85rem;letter-spacing:.04em;text-transform:uppercase}
    .verdict p{margin:0}
    .verdict a{display:block;font-weight:600}
    .figures{display:flex;flex-wrap:wrap;gap:.75rem;margin:0 0 1rem;padding:0}
    .figures div{flex:1 1 8rem;margin:0}
    .figures dt{font-size:.85rem}
    .figures dd{margin:0;font-size:1.2rem;font-weight:600;font-variant-numeric:tabular-nums}
    .small dd{font-size:1rem}
    figure{margin:0}
    figcaption{font-size:.9rem;margin:0 0 .4rem}
    .scroll{overflow-x:auto}
    .scroll:focus-visible,svg:focus-visible,summary:focus-visible{outline:2px solid;outline-offset:2px}
    svg{display:block;width:100%;min-width:34rem;height:auto}
    .legend{display:flex;flex-wrap:wrap;gap:.3rem 1rem;list-style:none;margin:.5rem 0 0;padding:0;font-size:.9rem}
    .legend svg{display:inline-block;width:1.25rem;min-width:0;height:1.25rem;vertical-align:-.25rem;margin-right:.35rem}
    output{display:block;min-height:1.5em;font-size:.9rem;font-variant-numeric:tabular-nums}
    summary{cursor:pointer;font-size:.9rem;padding:.25rem 0}
    details .scroll{max-height:22rem;overflow:auto}
    table{border-collapse:collapse;width:100%;font-size:.9rem;font-variant-numeric:tabular-nums}
    caption{text-align:left;font-size:.85rem;padding:.25rem 0}
    th,td{text-align:left;padding:.35rem .75rem .35rem 0;border-bottom:1px solid;vertical-align:top}
    th{font-weight:600;white-space:nowrap}
    td:first-child{overflow-wrap:anywhere;min-width:8rem}.n:first-child{min-width:0}
    .n{text-align:right;white-space:nowrap}
    .pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,24rem),1fr));gap:1rem}
    .facts{display:grid;grid-template-columns:auto 1fr;gap:.2rem 1rem;margin:0;font-size:.9rem}
    .facts dd{margin:0;overflow-wrap:anywhere;font-variant-numeric:tabular-nums}
    .card h2,.card h3{margin-top:0}

    """ + graph + ReportColors.light.pageRules + """
      @media screen and (prefers-color-scheme:dark){
      \(ReportColors.dark.pageRules)}
      @media print{
      :root{color-scheme:light}
      body{background:#fff;font-size:10.5pt}
      main{max-width:none;padding:0}
      .card{break-inside:avoid}
      svg{min-width:0;print-color-adjust:exact;-webkit-print-color-adjust:exact}
      .scroll{overflow:visible}
      details:not([open]),output{display:none}
      .verdict{print-color-adjust:exact;-webkit-print-color-adjust:exact}
      }

      """
}

/// The script of a report: a cursor for graphs over time, moved by pointer or arrow keys, which reads values from the
/// graph's table. The page is complete without it. It contains no `<` and no `&`.
enum PageScript {
  static let text = """
    "use strict";
    for (const figure of document.querySelectorAll("figure.timed")) {
      const svg = figure.querySelector("svg.time");
      const line = svg.querySelector(".cursor");
      const output = figure.querySelector("output");
      const names = [...figure.querySelectorAll("thead th")].map(cell => cell.textContent);
      const rows = [...figure.querySelectorAll("tbody tr")];
      const covered = Number(figure.dataset.covered);
      const left = \(Int(GraphFrame.left)), right = \(Int(GraphFrame.width - GraphFrame.right));
      let at = 0;
      const show = index => {
        at = Math.max(0, Math.min(rows.length - 1, index));
        const x = left + (right - left) * covered * (at + 0.5) / rows.length;
        line.setAttribute("x1", x);
        line.setAttribute("x2", x);
        line.setAttribute("visibility", "visible");
        output.textContent = [...rows[at].children]
          .map((cell, index) => names[index] + " " + cell.textContent).join(" · ");
      };
      svg.setAttribute("tabindex", "0");
      svg.addEventListener("pointermove", event => {
        const box = svg.getBoundingClientRect();
        const x = (event.clientX - box.left) * \(Int(GraphFrame.width)) / box.width;
        show(Math.floor((x - left) / (right - left) / covered * rows.length));
      });
      svg.addEventListener("keydown", event => {
        const step = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10 }[event.key];
        if (step === undefined) return;
        event.preventDefault();
        show(at + step);
      });
    }

    """
}
