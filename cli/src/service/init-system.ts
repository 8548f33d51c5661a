// Init system: the functions of systemd and launchd that `aos service`, `aos up` and `aos down` use.
//
// INIT-SYSTEM-1  A manager is called with separate arguments, never through a shell.
// INIT-SYSTEM-2  A failure of a manager is an error with the manager's reason and the command that failed.

import { spawnSync } from "node:child_process";
import { homedir } from "node:os";
import { join } from "node:path";
import { SysError } from "@aos/protocol/words";
import { environmentOfPlist, LAUNCHD_LABEL, launchdPlist, PLIST_MARK } from "./launchd-plist.ts";
import type { ServiceScope, ServiceSpec } from "./service-spec.ts";
import { environmentOfUnit, systemdUnit, UNIT_MARK } from "./systemd-unit.ts";

/** `unknown`: the manager does not run here, or does not know the service. */
export type ServiceState = "active" | "starting" | "stopped" | "failed" | "unknown";

export interface ServiceManager {
  readonly name: "systemd" | "launchd";
  readonly scope: ServiceScope;
  /** Where our file goes; then places of packages. */
  readonly files: readonly [string, ...string[]];
  readonly mark: string;
  text(spec: ServiceSpec): string;
  environmentOf(text: string): Map<string, string>;
  /** Undefined when it runs here; else its own words. */
  problem(): string | undefined;
  state(): ServiceState;
  enable(file: string): void;
  /** Stopped too. */
  disable(file: string): void;
  /** After a file was removed. */
  forget(): void;
  start(): void;
  stop(): void;
  /** How to read what the daemon says. */
  readonly logs: string;
}

const UNIT = "agent-os.service";

interface Called {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** INIT-SYSTEM-1. */
function call(words: readonly string[]): Called {
  const [program, ...args] = words;
  const { status, stdout, stderr, error } = spawnSync(program!, args, {
    encoding: "utf8",
    stdio: ["inherit", "pipe", "pipe"],
  });
  return { status, stdout, stderr: error === undefined ? stderr : error.message };
}

/** Its last line: those before it are often about something else. */
const problemOf = ({ status, stderr }: Called): string | undefined =>
  status === 0 ? undefined : stderr.trim().split("\n").at(-1) || `exit code ${status}`;

/** INIT-SYSTEM-2. */
function must(words: readonly string[], scope: ServiceScope): void {
  const { status, stderr } = call(words);
  if (status === 0) return;
  const said = stderr.trim() === "" ? `exit code ${status}` : stderr.trim();
  throw new SysError("ESTATE", `\`${words.join(" ")}\` failed: ${said}`, {
    hint:
      scope === "system"
        ? "a service of the machine needs root: run it with sudo"
        : "`aos service status` says what the service manager knows",
  });
}

export function systemd(scope: ServiceScope): ServiceManager {
  const systemctl = ["systemctl", ...(scope === "user" ? ["--user"] : []), "--no-ask-password"];
  const config = process.env["XDG_CONFIG_HOME"] || join(homedir(), ".config");
  return {
    name: "systemd",
    scope,
    files:
      scope === "user"
        ? [join(config, "systemd", "user", UNIT), `/usr/lib/systemd/user/${UNIT}`]
        : [`/etc/systemd/system/${UNIT}`, `/usr/lib/systemd/system/${UNIT}`],
    mark: UNIT_MARK,
    text: systemdUnit,
    environmentOf: environmentOfUnit,
    problem() {
      return problemOf(call([...systemctl, "show", "--property=Version"]));
    },
    state() {
      const { stdout } = call([...systemctl, "is-active", UNIT]);
      return systemdStates[stdout.trim()] ?? "unknown";
    },
    enable() {
      must([...systemctl, "daemon-reload"], scope);
      must([...systemctl, "enable", UNIT], scope);
    },
    disable: () => must([...systemctl, "disable", "--now", UNIT], scope),
    forget: () => must([...systemctl, "daemon-reload"], scope),
    start: () => must([...systemctl, "start", UNIT], scope),
    stop: () => must([...systemctl, "stop", UNIT], scope),
    logs: `journalctl ${scope === "user" ? "--user " : ""}-u ${UNIT}`,
  };
}

const systemdStates: Readonly<Record<string, ServiceState>> = {
  active: "active",
  reloading: "active",
  activating: "starting",
  inactive: "stopped",
  deactivating: "stopped",
  failed: "failed",
};

export function launchd(scope: ServiceScope): ServiceManager {
  const domain = scope === "user" ? `gui/${process.getuid?.()}` : "system";
  const service = `${domain}/${LAUNCHD_LABEL}`;
  const file = `Library/${scope === "user" ? "LaunchAgents" : "LaunchDaemons"}/${LAUNCHD_LABEL}.plist`;
  return {
    name: "launchd",
    scope,
    files: [scope === "user" ? join(homedir(), file) : join("/", file)],
    mark: PLIST_MARK,
    text: launchdPlist,
    environmentOf: environmentOfPlist,
    problem() {
      return problemOf(call(["launchctl", "print", domain]));
    },
    state() {
      const { status, stdout } = call(["launchctl", "print", service]);
      if (status !== 0) return "unknown";
      return /^\s*state = running$/m.test(stdout) ? "active" : "stopped";
    },
    enable(path) {
      // A list that is loaded already is loaded anew, with its new text.
      call(["launchctl", "bootout", service]);
      must(["launchctl", "enable", service], scope);
      must(["launchctl", "bootstrap", domain, path], scope);
    },
    disable: () => void call(["launchctl", "bootout", service]),
    forget: () => {},
    start: () => must(["launchctl", "kickstart", service], scope),
    stop: () => must(["launchctl", "kill", "SIGTERM", service], scope),
    logs: "tail -f $AOS_HOME/daemon.log",
  };
}

export const managerOf = (scope: ServiceScope): ServiceManager =>
  process.platform === "darwin" ? launchd(scope) : systemd(scope);
