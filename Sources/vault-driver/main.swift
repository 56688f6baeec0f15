import CWipingFree
import DriverProtocol
import Glibc

// The vault's side of the proof: reads requests from standard input, one JSON object a line, and
// answers them (DRIVER.md). `vestige prove` starts it.
wiping_free_begin()
signal(SIGPIPE, SIG_IGN)
await DriverLoop.serve(VaultDriver())
