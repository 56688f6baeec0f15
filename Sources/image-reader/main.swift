import Glibc
import ImageProtocol

// Reads the file systems of a disk image that it is given open, and writes what it finds to its output:
// for programs, not for people.
guard CommandLine.arguments.count == 2,
  let shape = ImageShape(rawValue: CommandLine.arguments[1])
else {
  let usage = "usage: image-reader disk|volume <IMAGE, with records on standard output\n"
  write(STDERR_FILENO, usage, usage.utf8.count)
  exit(2)
}
Confinement.begin()
let output = RecordOutput()
ImageWalk(path: "/dev/stdin", output).run(as: shape)
output.put(.end)
output.flush()
