import Commands
import Glibc

exit(await Program.main(Array(CommandLine.arguments.dropFirst())))
