import Testing
import Vault
import VaultFaults
import VaultKeys

/// The stores of the system, against real ones: a headless GNOME keyring, and a TPM in software.
@Suite struct `The system's secret stores` {
  private static func has(_ programs: String...) -> Bool {
    programs.allSatisfy { name in
      ["/usr/bin/", "/bin/"].contains { Disk.exists($0 + name) }
    }
  }

  @Test(.enabled(if: has("dbus-run-session", "gnome-keyring-daemon", "gdbus")))
  func `Secret Service keeps, replaces, locks and removes`() throws {
    let scratch = Scratch()
    let output = try Probe.shell(
      """
      D=\(scratch.path); export HOME=$D XDG_RUNTIME_DIR=$D
      { read -r DBUS_SESSION_BUS_ADDRESS; read -r BUS; } < <(
        dbus-daemon --session --fork --print-address=1 --print-pid=1)
      export DBUS_SESSION_BUS_ADDRESS
      printf pw | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1
      P="$PROBE secret service"
      $P read; $P add one; $P read; $P add two; $P update three; $P read; $P list
      gdbus call --session --dest org.freedesktop.secrets --object-path /org/freedesktop/secrets \
        --method org.freedesktop.Secret.Service.Lock \
        "[objectpath \\"/org/freedesktop/secrets/aliases/default\\"]" >/dev/null
      $P read
      printf pw | gnome-keyring-daemon --replace --unlock --components=secrets >/dev/null 2>&1
      $P read; $P remove; $P read; $P list
      kill $BUS
      """)
    #expect(
      output == """
        notFound
        done
        one
        duplicate
        done
        three
        v1.a3/6f0c
        locked
        three
        done
        notFound


        """)
  }

  @Test func `Secret Service that is not there is unavailable, not empty`() throws {
    let output = try Probe.shell(
      "DBUS_SESSION_BUS_ADDRESS=unix:path=/nonexistent $PROBE secret service read")
    #expect(output == "unavailable\n")
  }

  @Test(.enabled(if: has("swtpm", "tpm2_pcrextend", "tpm2_clear")))
  func `TPM seals to PIN, machine state and its own seed`() throws {
    let scratch = Scratch()
    let output = try Probe.shell(
      """
      D=\(scratch.path); mkdir $D/state
      swtpm socket --tpm2 --tpmstate dir=$D/state --ctrl type=unixio,path=$D/tpm.ctrl \
        --server type=unixio,path=$D/tpm --flags not-need-init,startup-clear --daemon --pid file=$D/pid
      export TPM2TOOLS_TCTI=swtpm:path=$D/tpm
      S="$PROBE secret tpm:$D/items"
      $S:1234: read; $S:1234: add key; $S:1234: read; $S:9999: read
      $S:1234: update other; $S:1234: read; $S:1234: list; $S:1234: remove; $S:1234: list
      $S:1234:16 add bound; $S:1234:16 read
      tpm2_pcrextend 16:sha256=$(printf '%064d' 1) >/dev/null; $S:1234:16 read
      tpm2_clear -c p >/dev/null 2>&1; $S:1234:16 read
      kill $(cat $D/pid)
      """)
    #expect(
      output == """
        notFound
        done
        key
        denied
        done
        other
        v1.a3/6f0c
        done

        done
        bound
        stateChanged
        stateChanged

        """)
  }

  @Test func `cost nothing until they are used`() throws {
    let output = try Probe.shell(
      "LD_TRACE_LOADED_OBJECTS=1 $PROBE | grep -cE 'libsecret|libglib|libtss2' || true")
    #expect(output == "0\n")
  }
}

extension Probe {
  /// Runs a script of the shell, in which `$PROBE` is the helper program. What it prints goes through a
  /// file, so that a daemon it leaves behind cannot keep this waiting.
  static func shell(_ script: String) throws -> String {
    let scratch = Scratch()
    try Disk.write(Array(script.utf8), to: scratch.path + "/script")
    let command = "cd \(scratch.path); timeout 40 bash script >out 2>err </dev/null; cat out"
    return try run(["-c", command], environment: ["PROBE=\(path)"], program: "/bin/bash").output
  }
}
