import CSleuthKit
import Glibc

/// What the reader gives up before it reads a byte of an image: an image that fools the library has little
/// to gain.
enum Confinement {
  /// Memory it may take. The library keeps maps of whole file systems.
  private static let mostMemory: rlim_t = 1 << 30

  static func begin() {
    limit(__rlimit_resource_t(RLIMIT_AS.rawValue), to: mostMemory)
    limit(__rlimit_resource_t(RLIMIT_CORE.rawValue), to: 0)
    limit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), to: 0)
    vestige_stay_below()
    signal(SIGPIPE, SIG_DFL)
  }

  private static func limit(_ resource: __rlimit_resource_t, to value: rlim_t) {
    var limit = rlimit(rlim_cur: value, rlim_max: value)
    setrlimit(resource, &limit)
  }
}
