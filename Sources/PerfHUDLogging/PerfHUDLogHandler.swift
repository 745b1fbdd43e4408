#if Logging
  import Logging
  import PerfHUDClient

  /// Makes each log statement an action of the HUD, so that a program that logs with swift-log shows its
  /// rates without another line of code.
  ///
  ///     LoggingSystem.bootstrap { label in
  ///       MultiplexLogHandler([
  ///         StreamLogHandler.standardError(label: label), PerfHUDLogHandler(label: label),
  ///       ])
  ///     }
  ///
  /// The name of the action is the metadata value of the key `perfhud.action`, of the statement, the logger
  /// or its provider, in this order; else the label of the logger. The detail is the level and the message.
  /// The names should be few: what differs from call to call belongs into the message.
  ///
  /// Where no HUD listens a statement costs what a look at the clock costs, and no statement waits. What
  /// comes faster than the HUD takes it is added up by name, with the detail of the last one.
  public struct PerfHUDLogHandler: LogHandler {
    /// The key of the metadata whose value names the action.
    public static let actionKey = "perfhud.action"

    public var logLevel: Logger.Level
    public var metadata: Logger.Metadata = [:]
    public var metadataProvider: Logger.MetadataProvider?
    private let label: String

    /// - Parameters:
    ///   - label: that of the logger.
    ///   - logLevel: statements below this are no actions; beside other handlers in a
    ///     `MultiplexLogHandler` the least of all their levels counts.
    public init(
      label: String, logLevel: Logger.Level = .info,
      metadataProvider: Logger.MetadataProvider? = nil
    ) {
      self.label = label
      self.logLevel = logLevel
      self.metadataProvider = metadataProvider
    }

    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    public func log(event: LogEvent) {
      // Texts are made only for somebody who reads them.
      guard PerfHUD.isListened else { return }
      let key = PerfHUDLogHandler.actionKey
      let name =
        event.metadata?[key] ?? metadata[key] ?? metadataProvider?.get()[key]
        ?? .string(label)
      var detail = "\(event.level) \(event.message)"
      if let error = event.error { detail += ": \(error)" }
      PerfHUD.action("\(name)", detail: detail)
    }
  }
#endif
