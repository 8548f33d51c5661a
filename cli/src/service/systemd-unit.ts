// systemd unit: the text of agent-os.service, and what can be read back from one.
//
// SYSTEMD-UNIT-1  Whatever is in a path, the unit runs that path: specifiers (%), variables ($), quotes and
//     backslashes are escaped, and a control character is refused.
// SYSTEMD-UNIT-2  Every restriction here leaves the sandbox working: bubblewrap needs new namespaces, mounts,
//     a host name, the address family of netlink and a /proc without read-only parts.

import { refuseControlCharacters, type ServiceSpec } from "./service-spec.ts";

/** Whose file it is: only one that begins with this is replaced or removed. */
export const UNIT_MARK = "# Written by `aos service install`.";

/** SYSTEMD-UNIT-2. What works without root too, so that a user's manager can apply it. */
const RESTRICTIONS = [
  "UMask=0077",
  "NoNewPrivileges=yes",
  "LockPersonality=yes",
  "RestrictRealtime=yes",
  "RestrictSUIDSGID=yes",
  "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK",
  "RestrictNamespaces=user mnt pid net ipc uts cgroup",
  "SystemCallArchitectures=native",
  "SystemCallFilter=@system-service @mount pivot_root seccomp sethostname",
  "SystemCallErrorNumber=EPERM",
];

/** What needs the manager of the machine. Homes and /tmp stay as they are: projects are in them. */
const SYSTEM_RESTRICTIONS = [
  "ProtectSystem=full",
  "ProtectClock=yes",
  "ProtectKernelModules=yes",
  "PrivateDevices=yes",
  "KeyringMode=private",
];
/** For any user but root, who has capabilities to lose. */
const NO_CAPABILITIES = ["CapabilityBoundingSet=", "AmbientCapabilities="];

export function systemdUnit(spec: ServiceSpec): string {
  const { scope, command, home, socket, user } = spec;
  const isSystem = scope === "system";
  const isRoot = user === undefined || user === "root";
  return `${[
    UNIT_MARK,
    "",
    "[Unit]",
    "Description=Agent OS daemon",
    ...(isSystem ? ["After=network-online.target", "Wants=network-online.target"] : []),
    "StartLimitIntervalSec=60",
    "StartLimitBurst=5",
    "",
    "[Service]",
    "Type=exec",
    `ExecStart=${command.map(executed).join(" ")}`,
    ...(isSystem && user !== undefined ? [`User=${literal(user)}`] : []),
    `Environment=${quoted(`AOS_HOME=${home}`)} ${quoted(`AOS_SOCKET=${socket}`)}`,
    "# Variables for the daemon, such as AOS_DATABASE_URL, one NAME=value a line.",
    `EnvironmentFile=-${literal(home)}/service.env`,
    "ExecReload=/bin/kill -HUP $MAINPID",
    "Restart=on-failure",
    "RestartSec=2",
    "KillMode=mixed",
    "TimeoutStopSec=60",
    "LimitNOFILE=65536",
    "Delegate=cpu memory pids",
    ...RESTRICTIONS,
    ...(isSystem ? SYSTEM_RESTRICTIONS : []),
    ...(isSystem && !isRoot ? NO_CAPABILITIES : []),
    "",
    "[Install]",
    `WantedBy=${isSystem ? "multi-user.target" : "default.target"}`,
  ].join("\n")}\n`;
}

/** SYSTEMD-UNIT-1, for a value that is the rest of its line. */
const literal = (text: string): string => refuseControlCharacters(text).replaceAll("%", "%%");

/** SYSTEMD-UNIT-1, for one of several words. */
const quoted = (text: string): string => `"${literal(text).replaceAll(/[\\"]/g, "\\$&")}"`;

/** SYSTEMD-UNIT-1, for a word of a command, where variables are replaced too. */
const executed = (text: string): string =>
  /^[\w./=-]+$/.test(text) ? text : quoted(text).replaceAll("$", "$$$$");

/** The variables that a unit sets, also one that somebody else wrote. */
export function environmentOfUnit(text: string): Map<string, string> {
  const lines = [...text.matchAll(/^Environment=(.*)$/gm)].map(([, words]) => words!);
  const words = lines.flatMap((line) => line.match(/"(?:[^"\\]|\\.)*"|[^\s"]+/g) ?? []);
  return new Map(
    words.map((word) => {
      const bare = word.startsWith('"') ? word.slice(1, -1).replaceAll(/\\(.)/g, "$1") : word;
      const at = bare.indexOf("=");
      return [bare.slice(0, at), bare.slice(at + 1).replaceAll("%%", "%")];
    }),
  );
}
