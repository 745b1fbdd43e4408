import ArgumentParser
import Report

/// The formats that `perfhud report -o FILE` writes.
enum ReportForm: String, CaseIterable {
  case html, svg, md, csv

  static var list: String { allCases.map(\.rawValue).joined(separator: ", ") }

  /// Determines the format by the file name.
  ///
  /// - Throws: if the name does not match any of them.
  init(output: String) throws {
    let suffix = output.split(separator: "/").last?.split(separator: ".").dropFirst().last
    if let form = suffix.flatMap({ ReportForm(rawValue: $0.lowercased()) }) {
      self = form
    } else if suffix?.lowercased() == "htm" {
      self = .html
    } else if suffix?.lowercased() == "png" {
      throw ValidationError(
        "no form png: write an .svg and convert it: rsvg-convert report.svg -o report.png")
    } else {
      throw ValidationError(
        "'\(output)' has no known ending; add --format with one of: \(ReportForm.list)"
      )
    }
  }

  func text(_ reports: [RunReport]) -> String {
    switch self {
    case .html: HTMLPage(reports).text
    case .svg: SVGReport(reports).text
    case .md: MarkdownReport(reports).text
    case .csv: CSVReport(reports).text
    }
  }
}
