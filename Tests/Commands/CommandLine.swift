import Foundation

/// What one run of the program did.
struct CommandLineRun {
  var status: Int32
  var output: String
  var errors: String

  /// The program as it was built beside the tests.
  static let program = Bundle.main.executableURL?.deletingLastPathComponent()
    .appendingPathComponent("vestige")

  init(_ arguments: [String], input: String = "", environment: [String: String] = [:]) throws {
    try self.init(program: Self.program?.path ?? "vestige", arguments, input, environment)
  }

  init(
    program: String, _ arguments: [String], _ input: String = "",
    _ environment: [String: String] = [:]
  ) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let (standardInput, standardOutput, standardError) = (Pipe(), Pipe(), Pipe())
    process.standardInput = standardInput
    process.standardOutput = standardOutput
    process.standardError = standardError
    try process.run()
    try standardInput.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    try standardInput.fileHandleForWriting.close()
    // Messages are short; what is long goes to standard output.
    let written = standardOutput.fileHandleForReading.readDataToEndOfFile()
    let told = standardError.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    status = process.terminationStatus
    output = String(decoding: written, as: UTF8.self)
    errors = String(decoding: told, as: UTF8.self)
  }
}

/// Where a program lies on this machine, if it does.
func installed(_ name: String) -> String? {
  let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
  return folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
}
