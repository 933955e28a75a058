//! The programs that take passwords as arguments, as data.

/// How a program takes a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PasswordArgument {
    /// The next argument, or the rest of this one.
    Next(&'static str),
    /// The next argument only: `-k`, and not `-keyout`.
    Exact(&'static str),
    /// The rest of this argument only; the next one is something else.
    Attached(&'static str),
    /// The part after the colon of the next argument, or of the rest of this one.
    UserAndPassword(&'static str),
    /// The next argument, if the command logs in.
    Login(&'static str),
    /// The argument at this place after a command, flags not counted: `config user name password`.
    Place(&'static str, usize),
    /// The last argument, if a flag has this letter.
    Last(&'static str),
}

use PasswordArgument::{Attached, Exact, Last, Login, Next, Place, UserAndPassword};

const CURL: &[PasswordArgument] = &[
    UserAndPassword("-u"),
    UserAndPassword("--user"),
    UserAndPassword("--proxy-user"),
    UserAndPassword("-U"),
];
const MYSQL: &[PasswordArgument] = &[Attached("-p")];
const LDAP: &[PasswordArgument] = &[Next("-w")];
const MONGO: &[PasswordArgument] = &[Next("-p")];
const LOGIN: &[PasswordArgument] = &[Login("-p")];
const SNMP: &[PasswordArgument] = &[Next("-A"), Next("-X")];
/// Their arguments are passwords if they are piped into a program that reads one.
const ECHO: &[PasswordArgument] = &[];
const ARCHIVE: &[PasswordArgument] = &[Next("-P")];

/// Programs, and how they take passwords.
pub(super) const PROGRAMS: &[(&str, &[PasswordArgument])] = &[
    ("curl", CURL),
    ("http", &[UserAndPassword("-a"), UserAndPassword("--auth")]),
    ("gh secret", &[Next("--body"), Next("-b")]),
    ("az keyvault secret", &[Next("--value")]),
    ("xh", &[UserAndPassword("-a"), UserAndPassword("--auth")]),
    ("ab", &[UserAndPassword("-A")]),
    ("sshpass", &[Next("-p")]),
    ("mysql", MYSQL),
    ("mysqldump", MYSQL),
    ("mysqladmin", MYSQL),
    ("mysqlimport", MYSQL),
    ("mysqlsh", MYSQL),
    ("mariadb", MYSQL),
    ("mariadb-dump", MYSQL),
    ("mariadb-admin", MYSQL),
    ("redis-cli", &[Next("-a")]),
    ("mongo", MONGO),
    ("mongosh", MONGO),
    ("mongodump", MONGO),
    ("mongorestore", MONGO),
    ("mongoexport", MONGO),
    ("mongoimport", MONGO),
    ("cqlsh", &[Next("-p")]),
    ("docker", LOGIN),
    ("podman", LOGIN),
    ("nerdctl", LOGIN),
    ("buildah", LOGIN),
    ("skopeo", LOGIN),
    ("helm", LOGIN),
    ("crane", LOGIN),
    ("oras", LOGIN),
    ("az", LOGIN),
    ("oc", LOGIN),
    ("cf", LOGIN),
    ("sqlcmd", ARCHIVE),
    ("bcp", ARCHIVE),
    ("ldapsearch", LDAP),
    ("ldapmodify", LDAP),
    ("ldapadd", LDAP),
    ("ldapwhoami", LDAP),
    ("ldapdelete", LDAP),
    ("unzip", ARCHIVE),
    ("zip", ARCHIVE),
    ("7z", MYSQL),
    ("7za", MYSQL),
    ("openssl", &[Attached("pass:"), Place("passwd", 0), Exact("-k")]),
    ("winrs", &[Attached("-p:"), Attached("/p:")]),
    ("knife", ARCHIVE),
    ("kadmin", LDAP),
    (
        "composer",
        &[Place("config http-basic", 1), Place("config bearer", 0), Place("config github-oauth", 0)],
    ),
    ("ncftp", &[Next("-p")]),
    ("ncftpput", &[Next("-p")]),
    ("ncftpget", &[Next("-p")]),
    ("rar", &[Attached("-hp"), Attached("-p")]),
    ("unrar", &[Attached("-hp"), Attached("-p")]),
    ("wandb", &[Place("login", 0)]),
    ("cloudflared", &[Place("service install", 0)]),
    ("vault", &[Place("login", 0)]),
    ("cmdkey", &[Attached("/pass:")]),
    ("smbclient", &[Attached("%")]),
    ("rpcclient", &[Attached("%")]),
    ("winexe", &[Attached("%")]),
    ("htpasswd", &[Last("b")]),
    ("mkpasswd", &[Place("", 0)]),
    ("wpa_passphrase", &[Place("", 1)]),
    ("rabbitmqctl", &[Place("add_user", 1), Place("change_password", 1)]),
    ("net", &[Place("user", 1)]),
    ("poetry", &[Place("config http-basic", 1), Place("config pypi-token", 0)]),
    ("sqlplus", &[Attached("/")]),
    ("expdp", &[Attached("/")]),
    ("impdp", &[Attached("/")]),
    ("lftp", &[UserAndPassword("-u")]),
    ("mosquitto_pub", ARCHIVE),
    ("mosquitto_sub", ARCHIVE),
    ("snmpget", SNMP),
    ("snmpwalk", SNMP),
    ("snmpset", SNMP),
    ("snmpbulkwalk", SNMP),
    ("ldappasswd", &[Next("-w"), Next("-s")]),
    ("rdesktop", &[Next("-p")]),
    ("vncdo", &[Next("-p")]),
    ("isql", ARCHIVE),
    ("tsql", ARCHIVE),
    ("mssql-cli", ARCHIVE),
    ("psexec", &[Next("-p")]),
    ("ssh-keygen", &[Next("-N"), Next("-P")]),
    ("hydra", &[Next("-p")]),
    ("nxc", &[Next("-p")]),
    ("crackmapexec", &[Next("-p")]),
    ("evil-winrm", &[Next("-p")]),
    ("echo", ECHO),
    ("printf", ECHO),
    ("xfreerdp", &[Attached("/p:")]),
    ("rabbitmqadmin", &[Next("-p")]),
    ("influx", &[Next("-t"), Next("-p")]),
    ("ipmitool", &[Next("-P")]),
];

/// What a command line has if it reads a password from its input.
pub(super) const READERS: &[&str] = &[
    "--password-stdin",
    "--passphrase-fd",
    "--with-token",
    "--token-stdin",
    "--stdin",
    "sudo -S",
    "kinit",
    "chpasswd",
    "passwd",
    "cryptsetup",
    "secrets versions add",
    "secret set",
    "secret put",
    "smbpasswd",
    "secret create",
    "secrets create",
    "secrets import",
    "pass insert",
    "gopass insert",
    "vncpasswd",
    "--pass-stdin",
    "--key-stdin",
];
