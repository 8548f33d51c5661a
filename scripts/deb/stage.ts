// Stage: the tree of the Debian package, from the unpacked npm package, its dependencies and Node.
//
// DEB-STAGE-1  Nothing of the machine is in it: every file has the mode and the time that is given, and no name of a user.
// DEB-STAGE-2  Types, source maps and documents of dependencies stay out; licences stay.

import {
  chmodSync,
  closeSync,
  cpSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { execFileSync } from "node:child_process";
import { basename, dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { HEAP_FLAGS } from "../../cli/src/heap-flags.ts";
import { manualPages } from "../man/manual.ts";
import { readManifest, repository } from "../package/contents.ts";
import { copyrightText, debianChangelog } from "./documents.ts";
import { runtimePackages, type InstalledPackage } from "./dependencies.ts";

const LIB = "usr/lib/agent-os";
const files = join(repository, "packaging/deb");

export interface Staged {
  readonly packages: readonly InstalledPackage[];
  /** In KiB, as dpkg counts it. */
  readonly installedSize: number;
}

export function stage(root: string, packed: string, arch: "x64" | "arm64"): Staged {
  const write = (path: string, text: string | Buffer, mode = 0o644) => {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    chmodSync(file, mode);
  };
  const compressed = (text: string) => gzipSync(Buffer.from(text), { level: 9 });

  const packages = runtimePackages(packed);
  cpSync(packed, join(root, LIB), { recursive: true, filter: isOwnNeeded(packed) });
  for (const { folder, place } of packages)
    cpSync(folder, join(root, LIB, place), { recursive: true, filter: isNeeded(folder) });
  const node = `${LIB}/node_modules/node-linux-${arch}`;
  copyNode(join(repository, "node_modules", `node-linux-${arch}`), join(root, node));

  const command = [
    "--disable-warning=ExperimentalWarning",
    ...HEAP_FLAGS,
    `/${LIB}/daemon/bin/daemon.mjs`,
  ].join(" ");
  const filled = (name: string) =>
    readFileSync(join(files, name), "utf8")
      .replaceAll("@daemon@", `/${node}/bin/node ${command}`)
      .replaceAll("@node@", `/${node}/bin/node`)
      .replaceAll("@arguments@", command);
  write("lib/systemd/system/agent-os.service", filled("agent-os.service"));
  write("lib/systemd/system/agent-os.service.d/sandbox.conf", filled("sandbox.conf"));
  write("etc/init.d/agent-os", filled("agent-os.init"), 0o755);
  write("etc/agent-os/config.yaml", filled("config.yaml"));
  write("etc/agent-os/environment", filled("environment"), 0o600);
  write("usr/share/lintian/overrides/agent-os", filled("lintian-overrides"));

  mkdirSync(join(root, "usr/bin"), { recursive: true });
  symlinkSync("../lib/agent-os/cli/bin/aos", join(root, "usr/bin/aos"));
  const completion = (shell: string) =>
    readFileSync(join(repository, `cli/completions/aos.${shell}`), "utf8");
  write("usr/share/bash-completion/completions/aos", completion("bash"));
  write("usr/share/zsh/vendor-completions/_aos", completion("zsh"));
  write("usr/share/fish/vendor_completions.d/aos.fish", completion("fish"));

  for (const [path, text] of manualPages()) write(`usr/share/man/${path}.gz`, compressed(text));
  const doc = "usr/share/doc/agent-os";
  for (const name of readdirSync(join(repository, "docs"), { recursive: true, encoding: "utf8" }))
    if (/\.(?:md|yaml|svg)$/.test(name))
      write(`${doc}/docs/${name}`, readFileSync(join(repository, "docs", name)));
  write(
    `${doc}/changelog.gz`,
    compressed(debianChangelog(readFileSync(join(repository, "CHANGELOG.md"), "utf8"))),
  );
  write(`${doc}/copyright`, copyrightText(packages, readManifest("").version));

  return { packages, installedSize: settleModes(root) };
}

/** Its own types stay: the templates of tools name them. Documents and manual pages have their places in /usr/share. */
const isOwnNeeded =
  (packed: string) =>
  (path: string): boolean =>
    !path.endsWith(".map") &&
    !/^\/(?:node_modules|docs|man|README\.md)(\/|$)/.test(path.slice(packed.length)) &&
    basename(path) !== "LICENSE";

/** DEB-STAGE-2. */
const isNeeded =
  (folder: string) =>
  (path: string): boolean => {
    const below = path.slice(folder.length);
    if (/^\/node_modules(\/|$)/.test(below)) return false; // those that are needed have their own place
    const name = basename(path);
    if (/^(?:licen[cs]e|copying|notice)/i.test(name)) return true;
    return !(
      /\.(?:map|md|markdown|flow|html|tsbuildinfo|ts|mts|cts|tgz)$/i.test(name) ||
      /^\.(?!$)/.test(name) ||
      /^(?:Makefile|CHANGELOG|HISTORY|AUTHORS|CONTRIBUTORS|tsconfig.*\.json|bower\.json|component\.json)$/i.test(
        name,
      ) ||
      /^\/(?:test|tests|__tests__|example|examples|docs|doc|benchmark|benchmarks|bench|coverage|\.github)(\/|$)/.test(
        below,
      )
    );
  };

function copyNode(from: string, to: string): void {
  mkdirSync(join(to, "bin"), { recursive: true });
  for (const name of ["bin/node", "LICENSE", "package.json"])
    cpSync(join(from, name), join(to, name));
  execFileSync("strip", ["--strip-unneeded", join(to, "bin/node")]);
}

/** DEB-STAGE-1: modes. Node and shell scripts can be run; what Node loads cannot. */
function settleModes(path: string): number {
  let size = 0;
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const file = join(path, entry.name);
    if (entry.isSymbolicLink()) continue;
    if (entry.isDirectory()) {
      size += settleModes(file);
      if (readdirSync(file).length === 0) rmSync(file, { recursive: true });
      else chmodSync(file, 0o755);
      continue;
    }
    const { mode, size: bytes } = lstatSync(file);
    size += Math.ceil(bytes / 1024);
    if ((mode & 0o777) === 0o600) continue;
    const isRun = file.endsWith("/bin/node") || isShellScript(file);
    chmodSync(file, isRun ? 0o755 : 0o644);
  }
  return size + 1;
}

function isShellScript(file: string): boolean {
  const open = openSync(file, "r");
  const start = Buffer.alloc(9);
  readSync(open, start);
  closeSync(open);
  return start.toString() === "#!/bin/sh";
}
