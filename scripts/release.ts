// `npm run release`: every artifact of a release, with checksums and a list of what is inside.
//
//   npm run release -- --dry-run            builds all of it into dist/release: the npm package, the wheel, the Debian
//                                           package, the chart, the dashboard, the alerts, the SBOM, SHA256SUMS
//   npm run release -- --dry-run --image    the container image too, which takes root, debootstrap and buildah
//   npm run release -- --dry-run --twice    builds it twice, and says whether the bytes are the same
//   npm run release                         refuses a tree that is not committed, builds, tags the commit
//
// Nothing is published from here: the last lines say with which commands that is done.
//
// RELEASE-1  One version: of package.json and every room, of the changelog's first entry, of every artifact.
// RELEASE-2  Two builds of one source are the same bytes.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
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
import { gzipSync } from "node:zlib";
import { runtimePackages } from "./deb/dependencies.ts";
import { releaseTime } from "./deb/documents.ts";
import { readManifest, repository, rooms } from "./package/contents.ts";
import { sbomOf } from "./release/sbom.ts";

const { values } = parseArgs({
  options: {
    "dry-run": { type: "boolean", default: false },
    twice: { type: "boolean", default: false },
    image: { type: "boolean", default: false },
    to: { type: "string", default: "dist/release" },
  },
});
const { name, version } = readManifest("");
const changelog = readFileSync(join(repository, "CHANGELOG.md"), "utf8");

function run(program: string, ...words: string[]): string {
  const { status, stdout, stderr, error } = spawnSync(program, words, {
    cwd: repository,
    encoding: "utf8",
  });
  if (error !== undefined) throw new Error(`${program} cannot be run: ${error.message}`);
  if (status !== 0) throw new Error(`${program} ${words.join(" ")} failed:\n${stdout}${stderr}`);
  return stdout.trim();
}

/** RELEASE-1. */
function checkVersion(): void {
  const read = (file: string) => readFileSync(join(repository, file), "utf8");
  const found = (file: string, pattern: RegExp): [string, string | undefined] => [
    file,
    pattern.exec(read(file))?.[1],
  ];
  const versions = [
    ...rooms.map((room): [string, string] => [`${room}/package.json`, readManifest(room).version]),
    found("CHANGELOG.md", /^## \[([^\]]+)\]/m),
    found("packaging/helm/agent-os/Chart.yaml", /^version: (.*)$/m),
    found("packaging/helm/agent-os/Chart.yaml", /^appVersion: "(.*)"$/m),
    found("packaging/image/compose.yaml", /image: agent-os:(.*)$/m),
  ];
  const others = versions.filter(([, theirs]) => theirs !== version);
  if (others.length > 0)
    throw new Error(
      `package.json has version ${version}; ${others.map(([file, theirs]) => `${file} has ${theirs}`).join(", ")}`,
    );
}

/** As `helm package` makes it, with fixed names, owners and times. */
function buildChart(file: string, at: number): void {
  const owner = ["--owner=0", "--group=0", "--numeric-owner", "--mode=u=rwX,go=rX"];
  const order = ["--format=ustar", "--sort=name", `--mtime=@${at}`, ...owner];
  const { status, stdout, stderr } = spawnSync(
    "tar",
    [...order, "-C", join(repository, "packaging/helm"), "-cf", "-", name],
    { maxBuffer: 1e8 },
  );
  if (status !== 0) throw new Error(`tar failed:\n${stderr.toString()}`);
  writeFileSync(file, gzipSync(stdout, { level: 9 }));
}

function build(to: string): Map<string, string> {
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to, { recursive: true });
  const work = mkdtempSync(join(tmpdir(), "aos-release-"));
  try {
    run("npm", "run", "-s", "package", "--", "--to", work);
    const packed = join(work, name);
    const tarball = `${name}-${version}.tgz`;
    writeFileSync(join(to, tarball), readFileSync(join(work, tarball)));
    run("npm", "run", "-s", "package:python", "--", "--to", to);
    run("npm", "run", "-s", "package:deb", "--", "--packed", packed, "--to", to);
    const at = releaseTime(changelog);
    buildChart(join(to, `${name}-chart-${version}.tgz`), at);
    copyFileSync(
      join(repository, "packaging/grafana/agent-os.json"),
      join(to, `${name}-grafana-${version}.json`),
    );
    copyFileSync(join(repository, "docs/alerts.yaml"), join(to, `${name}-alerts-${version}.yaml`));
    if (values.image) {
      const deb = readdirSync(to).find((file) => file.endsWith(".deb"))!;
      run("packaging/image/build.sh", join(to, deb), join(to, `${name}-image-${version}.tar`));
    }
    writeFileSync(join(to, `${name}-${version}.cdx.json`), sbomOf(runtimePackages(packed), at));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  const sums = new Map(
    readdirSync(to)
      .toSorted()
      .map((file) => [
        file,
        createHash("sha256")
          .update(readFileSync(join(to, file)))
          .digest("hex"),
      ]),
  );
  const lines = [...sums].map(([file, sum]) => `${sum}  ${file}\n`);
  writeFileSync(join(to, "SHA256SUMS"), lines.join(""));
  return sums;
}

checkVersion();
if (!values["dry-run"] && run("git", "status", "--porcelain") !== "")
  throw new Error("the tree has changes that are not committed; commit them, or use --dry-run");
const to = resolve(repository, values.to);
const sums = build(to);
for (const [file, sum] of sums) console.log(`${sum}  ${join(relative(repository, to), file)}`);
if (values.twice) {
  const second = mkdtempSync(join(tmpdir(), "aos-release-again-"));
  const again = build(second);
  rmSync(second, { recursive: true, force: true });
  const other = [...sums].filter(([file, sum]) => again.get(file) !== sum).map(([file]) => file);
  if (other.length > 0 || again.size !== sums.size) {
    console.error(`the second build differs: ${other.join(", ")}`);
    process.exitCode = 1;
  } else console.log(`${sums.size} files, built twice: the same bytes`); // RELEASE-2
}
if (!values["dry-run"]) {
  run("git", "tag", "-a", `v${version}`, "-m", `${name} ${version}`);
  console.log(`tagged v${version}. To publish:`);
  console.log(`  git push origin v${version}`);
  console.log(`  npm publish ${join(relative(repository, to), `${name}-${version}.tgz`)}`);
}
