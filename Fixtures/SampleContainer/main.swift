import FixtureKit
import Glibc

/// Writes the sample container, and beside it the list of values that it leaks, into a folder:
/// `container/` and `needles.yaml`.
///
///     sample-container FOLDER
guard CommandLine.arguments.count == 2 else {
  print("usage: sample-container FOLDER")
  exit(2)
}
do {
  let folder = try FixtureFolder(empty: CommandLine.arguments[1])
  try SampleContainer.write(to: folder.path + "/container")
  try folder.write(SampleValues.needles, to: "needles.yaml")
} catch {
  print("error: \(error)")
  exit(1)
}
