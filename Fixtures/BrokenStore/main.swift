import DriverProtocol
import Glibc

// Stores with one fault each, as test subjects of the proof:
//
//   broken-store --fault NAME
//
// They are small on purpose: a SQLCipher database a profile, and the keys in a folder that stands for
// the system's keychain.

let arguments = CommandLine.arguments
guard arguments.count == 3, arguments[1] == "--fault", let fault = Fault(rawValue: arguments[2])
else {
  let names = Fault.allCases.map(\.rawValue).joined(separator: ", ")
  let text = Array("usage: broken-store --fault NAME, one of \(names)\n".utf8)
  _ = write(STDERR_FILENO, text, text.count)
  exit(2)
}
signal(SIGPIPE, SIG_IGN)
await DriverLoop.serve(BrokenStore(fault))
