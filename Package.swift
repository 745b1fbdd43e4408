// swift-tools-version:6.2
import PackageDescription

// The rules that every Swift target of ours obeys: strict memory safety, and no warning passes.
let strict: [SwiftSetting] = [
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
]

/// swift-log, for packages that ask for the trait `Logging`; the others do not even fetch it.
let swiftLog = Target.Dependency.product(
  name: "Logging", package: "swift-log", condition: .when(traits: ["Logging"]))

let package = Package(
  name: "perfhud",
  products: [
    .executable(name: "perfhud", targets: ["PerfHUD"]),
    .executable(name: "perfhud-demo", targets: ["PerfHUDDemo"]),
    .library(name: "Sampler", targets: ["Sampler"]),
    .library(name: "PerfHUDClient", targets: ["PerfHUDClient"]),
    .library(name: "PerfHUDLogging", targets: ["PerfHUDLogging"]),
  ],
  traits: [
    .trait(
      name: "Logging",
      description: "Adds PerfHUDLogHandler, which reports log statements of swift-log as actions.")
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    .package(url: "https://github.com/apple/swift-system", exact: "1.8.1"),
    // Only with the trait `Logging`: without it nothing uses swift-log.
    .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
  ],
  targets: [
    .target(name: "CLinux"),
    // Crash guard, start-up code and spawning, for the program alone: no library product may link it.
    .target(name: "CProcess"),
    // Takes the place of what swift-argument-parser uses of Foundation, for the program alone.
    .target(name: "CFoundation"),
    .target(name: "CMasks"),
    .systemLibrary(name: "CNcurses"),
    .target(
      name: "PerfHUDBase",
      dependencies: ["CLinux", .product(name: "SystemPackage", package: "swift-system")],
      swiftSettings: strict),
    .target(name: "Sampler", dependencies: ["PerfHUDBase", "CLinux"], swiftSettings: strict),
    .target(name: "PerfHUDEvents", dependencies: ["PerfHUDBase", "CLinux"], swiftSettings: strict),
    .target(
      name: "PerfHUDClient", dependencies: ["PerfHUDEvents", "PerfHUDBase", "CLinux"],
      swiftSettings: strict),
    // Empty without the trait `Logging`, which alone links swift-log.
    .target(
      name: "PerfHUDLogging", dependencies: ["PerfHUDClient", swiftLog],
      swiftSettings: strict),
    .target(
      name: "Metrics", dependencies: ["PerfHUDEvents", "Sampler", "PerfHUDBase"],
      swiftSettings: strict),
    .target(
      name: "Terminal", dependencies: ["PerfHUDBase", "CLinux", "CMasks", "CProcess"],
      swiftSettings: strict),
    .target(
      name: "HUD",
      dependencies: [
        "Metrics", "PerfHUDEvents", "Terminal", "Sampler", "PerfHUDBase", "CLinux", "CNcurses",
      ],
      swiftSettings: strict),
    .target(
      name: "Recording",
      dependencies: [
        "Metrics", "PerfHUDEvents", "Sampler", "PerfHUDBase",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: strict),
    .target(name: "SVG", dependencies: ["Terminal"], swiftSettings: strict),
    // What `perfhud report` writes: a page, a picture, Markdown, CSV.
    .target(
      name: "Report",
      dependencies: ["Recording", "SVG", "Metrics", "PerfHUDEvents", "Sampler", "PerfHUDBase"],
      swiftSettings: strict),
    .executableTarget(
      name: "PerfHUD",
      dependencies: [
        "HUD", "Report", "Recording", "Metrics", "PerfHUDEvents", "Terminal", "Sampler",
        "PerfHUDBase", "CProcess", "CFoundation",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: strict),
    .executableTarget(
      name: "PerfHUDDemo", dependencies: ["PerfHUDClient", "PerfHUDBase"], swiftSettings: strict),

    // Examples, built and run by the end-to-end tests: examples/README.md.
    .executableTarget(
      name: "example-overlay",
      dependencies: ["Terminal", "Metrics", "Sampler", "PerfHUDBase"],
      path: "examples/overlay", swiftSettings: strict),
    .executableTarget(
      name: "example-phases", dependencies: ["PerfHUDClient"], path: "examples/phases-swift",
      swiftSettings: strict),

    // A load that knows its own truth; the tests and the benchmarks measure perfhud against it.
    .executableTarget(name: "perfhud-load", path: "Tests/Load"),
    // Random bytes for everything that reads bytes from outside: `make fuzz`.
    .executableTarget(
      name: "perfhud-fuzz",
      dependencies: [
        "Recording", "Report", "Metrics", "Sampler", "Terminal", "PerfHUDEvents", "PerfHUDBase",
        "CLinux",
      ],
      path: "Tests/Fuzz", exclude: ["Corpus"], swiftSettings: strict),
    // Feeds made-up output to the screen model: `make bench-screen`.
    .executableTarget(
      name: "bench-screen", dependencies: ["HUD", "Metrics", "Sampler", "Terminal", "PerfHUDBase"],
      path: "Benchmarks/Screen",
      swiftSettings: strict),
    // The redraw of the HUD and the formatter of figures: `make bench-hud`.
    .executableTarget(
      name: "bench-hud",
      dependencies: [
        "HUD", "Metrics", "PerfHUDEvents", "Sampler", "Terminal", "PerfHUDBase", "CMallocCount",
      ],
      path: "Benchmarks/HUD",
      swiftSettings: strict),
    // The pictures of the documents: `make screenshots`.
    .executableTarget(
      name: "perfhud-pictures",
      dependencies: [
        "SVG", "HUD", "Recording", "Metrics", "PerfHUDEvents", "Sampler", "Terminal", "PerfHUDBase",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      path: "Tests/Pictures", exclude: ["Screens", "record.py"], swiftSettings: strict),
    // Days of samples at once: `make soak`.
    .executableTarget(
      name: "bench-soak", dependencies: ["Metrics", "PerfHUDEvents", "Sampler", "PerfHUDBase"],
      path: "Benchmarks/Soak",
      swiftSettings: strict),
    // How fast a recording is read and folded: `make bench-recording`.
    .executableTarget(
      name: "bench-recording",
      dependencies: [
        "Recording", "Metrics", "PerfHUDEvents", "Sampler", "PerfHUDBase", "CMallocCount",
      ],
      path: "Benchmarks/Recording", swiftSettings: strict),
    // The player of recordings: `make bench-replay`.
    .executableTarget(
      name: "bench-replay", dependencies: ["Recording", "Metrics", "Sampler", "PerfHUDBase"],
      path: "Benchmarks/Replay",
      swiftSettings: strict),
    // False alarms and found changes of comparisons: `make bench-compare`.
    .executableTarget(
      name: "bench-compare", dependencies: ["Report", "Recording", "Metrics", "PerfHUDEvents"],
      path: "Benchmarks/Compare", swiftSettings: strict),
    // What an event costs a program: `make bench-events`.
    .executableTarget(
      name: "bench-events", dependencies: ["PerfHUDClient", "PerfHUDEvents", "PerfHUDBase"],
      path: "Benchmarks/Events", exclude: ["sender.c"], swiftSettings: strict),
    .target(name: "CMallocCount", path: "Tests/CMallocCount"),
    .target(
      name: "TestSupport", dependencies: ["PerfHUDBase", "CLinux"], path: "Tests/TestSupport",
      swiftSettings: strict),
    .testTarget(
      name: "BaseTests", dependencies: ["PerfHUDBase", "CMallocCount"], swiftSettings: strict),
    .testTarget(
      name: "SamplerTests",
      dependencies: ["Sampler", "PerfHUDBase", "CMallocCount", "TestSupport"],
      exclude: ["Fixtures"], swiftSettings: strict),
    .testTarget(
      name: "EventsTests",
      dependencies: ["PerfHUDEvents", "PerfHUDBase", "CLinux", "CMallocCount", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "PerfHUDClientTests",
      dependencies: [
        "PerfHUDClient", "PerfHUDLogging", "PerfHUDEvents", "PerfHUDBase", "TestSupport", swiftLog,
      ], swiftSettings: strict),
    .testTarget(
      name: "MetricsTests",
      dependencies: [
        "Metrics", "PerfHUDEvents", "Sampler", "PerfHUDBase", "CMallocCount", "TestSupport",
      ],
      exclude: ["Histories"], swiftSettings: strict),
    .testTarget(
      name: "TerminalTests",
      dependencies: ["Terminal", "PerfHUDBase", "CLinux", "CProcess", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "HUDTests",
      dependencies: [
        "HUD", "Metrics", "Terminal", "Sampler", "PerfHUDBase", "CMallocCount", "TestSupport",
      ],
      exclude: ["Golden"], swiftSettings: strict),
    .testTarget(
      name: "RecordingTests",
      dependencies: [
        "Recording", "Metrics", "PerfHUDEvents", "Sampler", "PerfHUDBase", "CLinux",
        "CMallocCount",
      ],
      swiftSettings: strict),
    .testTarget(name: "SVGTests", dependencies: ["SVG", "Terminal"], swiftSettings: strict),
    .testTarget(
      name: "ReportTests",
      dependencies: [
        "Report", "Recording", "Metrics", "PerfHUDEvents", "Sampler", "PerfHUDBase", "TestSupport",
      ],
      exclude: ["Golden"], swiftSettings: strict),
    .testTarget(
      name: "PerfHUDTests",
      dependencies: [
        "PerfHUD", "HUD", "Metrics", "PerfHUDEvents", "Recording", "Sampler", "Terminal",
        "PerfHUDBase", "TestSupport",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "EndToEndTests",
      dependencies: [
        "TestSupport", "Terminal", "PerfHUDBase", "CLinux", "perfhud-load", "example-overlay",
        "example-phases",
      ],
      swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)

// Only for `make docs`: nothing else fetches it.
if Context.environment["PERFHUD_DOCS"] != nil {
  package.dependencies.append(
    .package(url: "https://github.com/swiftlang/swift-docc-plugin", exact: "1.5.0"))
}
