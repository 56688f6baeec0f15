/// What `--help` says.
enum VaultHelp {
  /// The commands that have a text of their own.
  static let commands = [
    "create", "unlock", "status", "put", "get", "list", "search", "delete", "attach", "rotate",
    "passwd", "decoy", "migrate", "erase", "format", "bench",
  ]

  static let overview = """
    usage: vestige vault COMMAND DIR [OPTIONS]

    Drives the reference encrypted store in the folder DIR.

      create DIR                  make a vault with one password
      unlock DIR                  try a password: opens every profile and closes it again
      status DIR                  what is there, without a password; with --open also what is inside
      put DIR CONVERSATION        add a message, its text from standard input (--sender NAME, --view-once)
      put DIR --record KIND NAME  keep standard input as a record
      get DIR ID                  print one message; --record KIND NAME prints a record
      list DIR [CONVERSATION]     conversations, or the newest messages of one (--limit N)
      search DIR QUERY            messages that hold every word; WORD* finds beginnings (--limit N)
      delete DIR ID...            delete messages, their words and their traces in the log
      attach DIR FILE             seal a file into the vault (--message ID); - is standard input
      attach DIR --list | --get ID | --delete ID
      rotate DIR                  new database key in a new file (--master: the space's key as well)
      passwd DIR                  change the password
      decoy DIR                   give a second password to an empty space of its own
      migrate DIR                 bring an older database to this version
      erase DIR                   erase what this password opens (--profile N: one profile); --yes
      format DIR                  erase the whole vault, every password's; --yes
      bench                       speed against plain SQLite and bare SQLCipher

    Every command:
      --password-fd N   read passwords from file descriptor N, one a line, instead of asking
      --secrets STORE   where the device secret is: file (default, in the vault), file:PATH,
                        secret-service, tpm
      --profile N       which profile (default 0)

    Exit status: 0 done, 1 refused or failed, 2 the command line is wrong.
    """

  static func of(_ command: String) -> String {
    switch command {
    case "create":
      """
      usage: vestige vault create DIR [--secrets STORE] [--strong]

      Makes a vault in a new or empty folder. Asks for the new password twice, or reads one line from
      --password-fd. --strong derives keys with 256 MiB of memory instead of 64.
      """
    case "unlock":
      """
      usage: vestige vault unlock DIR

      Tries the password, opens and checks every profile it leads to, and closes them again.
      """
    case "status":
      """
      usage: vestige vault status DIR [--open]

      Says what can be seen without a password. With --open asks for the password and counts what is
      inside.
      """
    case "put":
      """
      usage: vestige vault put DIR CONVERSATION [--sender NAME] [--view-once] < TEXT
             vestige vault put DIR --record KIND NAME < VALUE

      Adds a message whose text is standard input, and prints its number; or keeps standard input as a
      record under a kind and a name.
      """
    case "get":
      """
      usage: vestige vault get DIR ID
             vestige vault get DIR --record KIND NAME

      Prints a message's text, or a record's bytes.
      """
    case "list":
      """
      usage: vestige vault list DIR [CONVERSATION] [--limit N]

      Lists conversations and kinds of records; or the newest messages of one conversation.
      """
    case "search":
      """
      usage: vestige vault search DIR QUERY [--limit N]

      Lists messages that hold every word of QUERY, newest first. A word that ends in * stands for all
      that begin with it. Chinese, Japanese and Korean need no spaces.
      """
    case "delete":
      """
      usage: vestige vault delete DIR ID...

      Deletes messages: their rows, their words in the index, and what the log holds of them.
      """
    case "attach":
      """
      usage: vestige vault attach DIR FILE [--message ID]
             vestige vault attach DIR --list
             vestige vault attach DIR --get ID > FILE
             vestige vault attach DIR --delete ID

      Seals a file (- is standard input) into the vault and prints its number; lists, prints or deletes
      attachments.
      """
    case "rotate":
      """
      usage: vestige vault rotate DIR [--profile N] [--master]

      Moves the profile's database to a new file under a new key. --master first replaces the key that
      wraps all keys of the space. After a leaked password: passwd, then rotate --master.
      """
    case "passwd":
      """
      usage: vestige vault passwd DIR

      Changes the password: asks for the current one and for the new one twice, or reads two lines from
      --password-fd.
      """
    case "decoy":
      """
      usage: vestige vault decoy DIR

      Gives a second password to an empty space that shares nothing with this one: asks for the current
      password and for the decoy's twice, or reads two lines from --password-fd. Deniability holds
      for what the files contain and against one look at them, not against two. How large they are
      and when they were changed tells which space is used, and which never is.
      """
    case "migrate":
      """
      usage: vestige vault migrate DIR [--profile N]

      Brings the profile's database to this program's version, in a new file; the original is kept
      until the new one is whole and checked.
      """
    case "erase":
      """
      usage: vestige vault erase DIR --yes [--profile N]

      Erases the space that the password opens: keys first, then every file, then a check. With
      --profile N (not 0) only that profile. An erasure that was cut off is finished first.
      """
    case "format":
      """
      usage: vestige vault format DIR --yes

      Erases the whole vault, every password's, and its device secret. Needs no password.
      """
    case "bench":
      """
      usage: vestige vault bench [--messages N] [--dir DIR]

      Measures the vault against plain SQLite through the same code and against SQLCipher's own
      interface, in one run. N is 1000000 by default and needs about 3 GB in DIR.
      """
    default: overview
    }
  }
}
