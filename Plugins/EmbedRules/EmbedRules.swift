import Foundation
import PackagePlugin

/// Turns the YAML files of `Rules/` into Swift source, so that the program is one file and needs no
/// folder of rules beside it.
@main
struct EmbedRules: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    let folders = ["packs", "lexicon", "controls", "languages"]
    let output = context.pluginWorkDirectoryURL.appending(path: "EmbeddedRules.swift")
    return [
      .buildCommand(
        displayName: "Embedding rules",
        executable: try context.tool(named: "embed-rules").url,
        arguments: [
          target.directoryURL.path(percentEncoded: false), output.path(percentEncoded: false),
          "EmbeddedRules", "yaml", "veiled:packs",
        ] + folders.dropFirst(),
        inputFiles: try folders.flatMap { folder in
          try yamlFiles(under: target.directoryURL.appending(path: folder))
        },
        outputFiles: [output])
    ]
  }

  private func yamlFiles(under folder: URL) throws -> [URL] {
    let entries = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    return (entries?.compactMap { $0 as? URL } ?? [])
      .filter { $0.pathExtension == "yaml" }
      .sorted { $0.path < $1.path }
  }
}
