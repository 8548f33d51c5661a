// `npm run package:deb`: the Debian package, from the npm package, its dependencies and Node.
//
//   npm run package:deb                   dist/agent-os_VERSION_ARCH.deb
//   npm run package:deb -- --to DIR       in another folder than dist/
//   npm run package:deb -- --version V    with another version, to try upgrades
//   npm run package:deb -- --quick        packed less tightly: for tests
//
// PACKAGE-DEB-1  The same source gives the same bytes: times are the day of the release, owners are root.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  lutimesSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { MAINTAINER, releaseTime } from "./deb/documents.ts";
import { stage } from "./deb/stage.ts";
import { readManifest, repository } from "./package/contents.ts";

const { values } = parseArgs({
  options: {
    to: { type: "string", default: "dist" },
    version: { type: "string" },
    quick: { type: "boolean", default: false },
    /** The folder of an npm package that is there already. */
    packed: { type: "string" },
  },
});
const { name, version: ownVersion, description = "" } = readManifest("");
const version = values.version ?? ownVersion;
const architectures = { x64: "amd64", arm64: "arm64" } as const;
if (process.arch !== "x64" && process.arch !== "arm64")
  throw new Error(`there is no Node to bring along for ${process.arch}`);
const architecture = architectures[process.arch];
const dist = resolve(repository, values.to);

function run(program: string, args: readonly string[], env = {}): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    encoding: "utf8",
    cwd: repository,
    env: { ...process.env, ...env },
  });
  if (error !== undefined)
    throw new Error(`${program} is needed, and cannot be run: ${error.message}`);
  if (status !== 0) throw new Error(`${program} ${args[0]} failed:\n${stderr}`);
  return stdout;
}

function control(installedSize: number): string {
  return `${[
    `Package: ${name}`,
    `Version: ${version}`,
    `Architecture: ${architecture}`,
    `Maintainer: ${MAINTAINER}`,
    `Installed-Size: ${installedSize}`,
    "Depends: libc6 (>= 2.28), libgcc-s1, libstdc++6 (>= 8), adduser, init-system-helpers (>= 1.54~), sysvinit-utils (>= 3.05-4~)",
    "Recommends: bubblewrap (>= 0.4), ca-certificates",
    "Suggests: postgresql, git, ripgrep, jq, python3",
    "Section: admin",
    "Priority: optional",
    `Description: ${description.split(":")[0]!.replace(/^An? /, "")}`,
    " Agents get processes, memory, tools, messages, permissions and money from a",
    " kernel, and the kernel enforces their limits from outside the model. Every",
    " action passes one gate and leaves one record: any run can be replayed byte for",
    " byte, and goes on after a crash without repeating a side effect.",
    " .",
    " This package has the daemon as a system service, the command line, the",
    " dashboard, the manual pages and the Node that they run on.",
  ].join("\n")}\n`;
}

const files = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .toSorted();

/** PACKAGE-DEB-1. */
function settleTimes(path: string, at: number): void {
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const file = join(path, entry.name);
    if (entry.isDirectory()) settleTimes(file, at);
    lutimesSync(file, at, at);
  }
}

const work = mkdtempSync(join(tmpdir(), "aos-deb-"));
try {
  if (values.packed === undefined)
    run("node", ["--disable-warning=ExperimentalWarning", "scripts/package.ts", "--to", work]);
  const root = join(work, "root");
  mkdirSync(root);
  chmodSync(root, 0o755);
  const { installedSize } = stage(root, resolve(values.packed ?? join(work, name)), process.arch);
  const meta = join(root, "DEBIAN");
  mkdirSync(meta);
  chmodSync(meta, 0o755);
  const sums = files(root)
    .filter((file) => !file.startsWith("etc/"))
    .map(
      (file) =>
        `${createHash("md5")
          .update(readFileSync(join(root, file)))
          .digest("hex")}  ${file}`,
    );
  writeFileSync(join(meta, "md5sums"), `${sums.join("\n")}\n`, { mode: 0o644 });
  const conffiles = files(join(root, "etc")).map((file) => `/etc/${file}`);
  writeFileSync(join(meta, "conffiles"), `${conffiles.join("\n")}\n`, { mode: 0o644 });
  writeFileSync(join(meta, "control"), control(installedSize), { mode: 0o644 });
  for (const script of ["postinst", "prerm", "postrm"]) {
    writeFileSync(join(meta, script), readFileSync(join(repository, "packaging/deb", script)));
    chmodSync(join(meta, script), 0o755);
  }
  const at = releaseTime(readFileSync(join(repository, "CHANGELOG.md"), "utf8"));
  settleTimes(root, at);
  mkdirSync(dist, { recursive: true });
  const file = join(dist, `${name}_${version}_${architecture}.deb`);
  const pack = values.quick ? ["-Zgzip", "-z1"] : ["-Zxz", "-z6"];
  run("dpkg-deb", ["--root-owner-group", ...pack, "--build", root, file], {
    SOURCE_DATE_EPOCH: String(at),
  });
  console.log(relative(repository, file));
} finally {
  rmSync(work, { recursive: true, force: true });
}
