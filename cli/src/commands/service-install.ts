// `aos service install`: the daemon of this home, run by the machine's service manager.
//
// SERVICE-INSTALL-1  Nothing is written where no manager runs, over a file that another program wrote, or for another
//     home than the service has: the error says so.
// SERVICE-INSTALL-2  A service gets no variable of this shell except the places of the home: everything else that the
//     daemon needs is in config.yaml, among its secrets, or in service.env of the home.
// SERVICE-INSTALL-3  A service whose daemon would open another store than a daemon of this shell is refused: it would
//     begin with an empty one.

import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { dirname, join } from "node:path";
import { SysError } from "@aos/protocol/words";
import { parse } from "yaml";
import type { Command, CommandCall, Options } from "../command.ts";
import { connectTo, isUp } from "../connection.ts";
import type { Endpoint } from "../endpoint.ts";
import { stopDaemon } from "../stop-daemon.ts";
import { fileOf, startService } from "../service/find-service.ts";
import { managerOf, type ServiceManager } from "../service/init-system.ts";
import { serviceSpec, type ServiceScope } from "../service/service-spec.ts";

const command: Command = async (call) => {
  const { options, endpoint, out } = call;
  if (endpoint.remote !== undefined)
    throw new SysError("ESTATE", `AOS_URL points to a remote daemon: ${endpoint.remote.url}`, {
      hint: "unset AOS_URL to install a service on this machine",
    });
  const scope = scopeOf(options);
  const manager = managerOf(scope);
  const { user, home } = ownerOf(options, scope, endpoint);
  const place = { ...endpoint, ...home };
  const text = manager.text(serviceSpec(place, scope, user));
  const [file] = manager.files;
  if (options.flag("print")) return out.data({ file, text }, () => text);

  refuseUnlessFree(manager, place);
  refuseDatabaseOfShell(manager, place);
  writeWhole(file, text);
  manager.enable(file);
  out.note(`wrote ${file} (${manager.name}, ${scope})`);
  sayShellVariables(out.note, place);
  if (options.flag("start")) await start(call, manager, place, file, text);
  await out.data({ file, manager: manager.name, scope, state: manager.state() }, () => "");
};

export default command;

async function start(
  { out }: CommandCall,
  manager: ServiceManager,
  endpoint: Endpoint,
  file: string,
  text: string,
): Promise<void> {
  if (manager.state() === "active") manager.stop(); // The text may be new.
  const client = connectTo(endpoint, { startsDaemon: false, note: out.note });
  const pid = await stopDaemon(client, endpoint);
  if (pid !== null) out.note(`the daemon (pid ${pid}) has stopped; the service continues its work`);
  await startService({ manager, file, text, isOurs: true }, () => isUp(endpoint));
  out.note(`the service is up; its log: ${manager.logs}`);
  if (manager.scope === "user" && manager.name === "systemd")
    out.note("to keep it running while you are not logged in: loginctl enable-linger");
}

function scopeOf(options: Options): ServiceScope {
  const [user, system] = [options.flag("user"), options.flag("system")];
  if (user && system) throw new SysError("EINVAL", "--user and --system exclude each other");
  if (user && options.text("as") !== undefined)
    throw new SysError("EINVAL", "--as is for a service of the machine (--system)");
  if (user) return "user";
  return system || options.text("as") !== undefined || process.getuid?.() === 0 ? "system" : "user";
}

/** Whom it runs as, and with --as the home of that user unless AOS_HOME says another. */
function ownerOf(
  options: Options,
  scope: ServiceScope,
  { home }: Endpoint,
): { user?: string; home?: { home: string; socket: string } } {
  if (scope === "user") return {};
  const name = options.text("as");
  if (name === undefined) return { user: userInfo().username };
  if (!/^[a-z_][a-z0-9_.-]{0,31}$/i.test(name))
    throw new SysError("EINVAL", `${JSON.stringify(name)} is not the name of a user`);
  const folder = homeOfUser(name);
  if (process.env["AOS_HOME"]) return { user: name };
  const theirs = join(folder, ".aos");
  return theirs === home
    ? { user: name }
    : { user: name, home: { home: theirs, socket: join(theirs, "aos.sock") } };
}

function homeOfUser(name: string): string {
  const words = process.platform === "darwin" ? ["dscl", ".", "-read", `/Users/${name}`] : [];
  const [program, ...args] = words.length > 0 ? words : ["getent", "passwd", name];
  const { stdout, status } = spawnSync(program!, args, { encoding: "utf8" });
  const folder =
    process.platform === "darwin"
      ? /^NFSHomeDirectory: (.*)$/m.exec(stdout ?? "")?.[1]
      : (stdout ?? "").trim().split(":")[5];
  if (status !== 0 || !folder) throw new SysError("ENOENT", `this machine has no user ${name}`);
  return folder;
}

/** SERVICE-INSTALL-1. */
function refuseUnlessFree(manager: ServiceManager, { home }: Endpoint): void {
  const problem = manager.problem();
  if (problem !== undefined)
    throw new SysError("ESTATE", `${manager.name} does not run here: ${problem}`, {
      hint: "start the daemon with `aos up -d`, or `--print` the file and use it elsewhere",
    });
  const found = fileOf(manager);
  if (found === undefined || found.file !== manager.files[0]) return;
  if (!found.isOurs)
    throw new SysError("EEXIST", `${found.file} exists, and \`aos service\` did not write it`, {
      hint: "remove it first, or keep it: `aos up` uses it if it has the AOS_HOME of this home",
    });
  const other = manager.environmentOf(found.text).get("AOS_HOME");
  if (other !== home)
    throw new SysError("EEXIST", `the service exists already, for the home ${other}`, {
      hint: `AOS_HOME=${other} aos service uninstall`,
    });
}

/** SERVICE-INSTALL-3. */
function refuseDatabaseOfShell({ name }: ServiceManager, { home }: Endpoint): void {
  if (!process.env["AOS_DATABASE_URL"]) return;
  const config = join(home, "config.yaml");
  if (readDatabase(config) !== undefined) return;
  const variables = textOf(join(home, "service.env"));
  if (name === "systemd" && /^\s*AOS_DATABASE_URL=\s*\S/m.test(variables)) return;
  throw new SysError(
    "ESTATE",
    "AOS_DATABASE_URL is set in this shell only: the service would start on SQLite, without your processes",
    { hint: `name the database in ${config} (\`database: postgres://…\`), then install again` },
  );
}

function readDatabase(file: string): unknown {
  const config: unknown = parse(textOf(file));
  return (config as { database?: unknown } | null)?.database ?? undefined;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw new SysError("EACCES", `${file} cannot be read: ${(error as Error).message}`);
  }
}

function writeWhole(file: string, text: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
    const written = `${file}.${process.pid}.tmp`;
    writeFileSync(written, text, { mode: 0o644, flag: "wx" });
    renameSync(written, file);
  } catch (error) {
    throw new SysError("EACCES", `${file} cannot be written: ${(error as Error).message}`, {
      hint: "a service of the machine needs root: run it with sudo",
    });
  }
}

/** SERVICE-INSTALL-2. */
function sayShellVariables(note: (text: string) => void, { home }: Endpoint): void {
  const left = Object.keys(process.env)
    .filter((name) => /^AOS_(?!HOME$|SOCKET$)|_API_KEY$/.test(name))
    .toSorted();
  if (left.length === 0) return;
  note(
    `the service does not get these variables of this shell: ${left.join(", ")}; ` +
      `keys: \`aos configure\`; others: ${join(home, "service.env")} or config.yaml`,
  );
}
