#if Logging
  import Logging
  import PerfHUDClient

  /// Makes each log statement an action of the HUD, so a program that logs with swift-log shows its rates without
  /// further code.
  ///
  ///     LoggingSystem.bootstrap { label in
  ///       MultiplexLogHandler([
  ///         StreamLogHandler.standardError(label: label), PerfHUDLogHandler(label: label),
  ///       ])
  ///     }
  ///
  /// The name of the action is the metadata value for the key `perfhud.action` of the statement, the logger or its
  /// provider, in this order; otherwise the label of the logger. The detail is the level and the message. Use few
  /// names: anything that differs between calls belongs in the message.
  ///
  /// If no HUD is listening, a statement costs one clock read. No statement waits. Statements that come faster than the
  /// HUD takes them are added up by name, with the detail of the last one.
  public struct PerfHUDLogHandler: LogHandler {
    /// The metadata key whose value names the action.
    public static let actionKey = "perfhud.action"

    public var logLevel: Logger.Level
    public var metadata: Logger.Metadata = [:]
    public var metadataProvider: Logger.MetadataProvider?
    private let label: String

    /// - Parameters:
    ///   - label: the logger's label.
    ///   - logLevel: statements below this level are not actions. Beside other handlers in a `MultiplexLogHandler`, the
    ///     lowest of their levels applies.
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
      // Build the texts only if a HUD is listening.
      guard PerfHUD.hasListener else { return }
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
