import Foundation
import PackagePlugin

/// Turns the style sheet and scripts of the HTML report, `Page/*`, into Swift source.
@main
struct EmbedPage: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    let page = target.directoryURL.appending(path: "Page")
    let output = context.pluginWorkDirectoryURL.appending(path: "EmbeddedPage.swift")
    let files = try FileManager.default.contentsOfDirectory(
      at: page, includingPropertiesForKeys: nil)
    return [
      .buildCommand(
        displayName: "Embedding the page of the HTML report",
        executable: try context.tool(named: "embed-rules").url,
        arguments: [
          target.directoryURL.path(percentEncoded: false), output.path(percentEncoded: false),
          "EmbeddedPage", "css,js", "Page",
        ],
        inputFiles: files.sorted { $0.path < $1.path },
        outputFiles: [output])
    ]
  }
}
