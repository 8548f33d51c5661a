// Versions: of the product, which all rooms share, and of the programs that ship.
//
// VERSIONS-TEST-1  What `aos --version` says is what every room says.
// VERSIONS-TEST-2  An earlier version of a program is never edited: runs that began under it are
//     continued and replayed by it. Its folder is below userland/src/earlier, and its digest is here.
// VERSIONS-TEST-3  What the current version of `agent` tells a model of the tools that are system calls
//     is part of that version, wherever it is written: other words are other requests, which no old
//     journal has.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { offerOf, syscallTools } from "@aos/protocol";
import { programs } from "@aos/userland";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const packageOf = (room: string) =>
  JSON.parse(read(join(room, "package.json"))) as {
    version: string;
    workspaces: string[];
    dependencies?: Record<string, string>;
  };

test("every room has the product's version, and asks the others for it", () => {
  const { version, workspaces } = packageOf(".");
  const lock = JSON.parse(read("package-lock.json")) as {
    packages: Record<string, { version: string }>;
  };

  expect(read("drivers/src/mcp/connection.ts")).toContain(
    `export const CLIENT_VERSION = "${version}";`,
  );
  for (const room of workspaces) {
    const { version: own, dependencies = {} } = packageOf(room);
    const asked = Object.entries(dependencies).filter(([name]) => name.startsWith("@aos/"));
    expect({ room, own, locked: lock.packages[room]?.version }).toEqual({
      room,
      own: version,
      locked: version,
    });
    for (const [name, wanted] of asked)
      expect({ room, name, wanted }).toMatchObject({ wanted: version });
  }
});

test("changelog, Python client, chart and image have the product's version", () => {
  const { version } = packageOf(".");
  const found = (path: string, pattern: RegExp) => [path, pattern.exec(read(path))?.[1]];

  const said = [
    found("CHANGELOG.md", /^## \[([^\]]+)\]/m),
    found("packaging/helm/agent-os/Chart.yaml", /^appVersion: "?([^"\n]+)"?$/m),
    found("packaging/helm/agent-os/Chart.yaml", /^version: (.*)$/m),
    found("packaging/image/compose.yaml", /image: .*agent-os:(\S+)/),
  ];

  for (const [path, has] of said) expect({ path, has }).toEqual({ path, has: version });
});

/** SHA-256 over the names and bytes of a frozen folder. A new folder gets a row; a row never changes. */
const FROZEN: Readonly<Record<string, string>> = {
  "agent-1": "6a25ea6ac6e9315b646686d448ba13a4",
  "agent-2": "f4b8b7c80e036d79abb1c18d50cbbf00",
  "agent-3": "f515aaed50c76f9a992a0d0dcbd8d992",
  "converse-1": "886c80e622fafdfa88ef600767427814",
  "pipe-1": "a373ccf105df2473305364c39bf6659d",
  "recall-1": "f5f054e21471022da7075e7af32c2dc1",
};

function digestOf(folder: string): string {
  const hash = createHash("sha256");
  for (const name of readdirSync(join(root, folder)).toSorted())
    hash.update(`${name}\n${read(join(folder, name))}\n`);
  return hash.digest("hex").slice(0, 32);
}

test("earlier versions of programs are as they were frozen", () => {
  const folders = readdirSync(join(root, "userland/src/earlier")).toSorted();

  const found = Object.fromEntries(
    folders.map((name) => [name, digestOf(`userland/src/earlier/${name}`)]),
  );

  expect(found).toEqual(FROZEN);
});

test("every earlier version has its folder, and every folder is run by somebody", () => {
  const kept = Object.entries(programs).flatMap(([name, { earlier }]) =>
    Object.keys(earlier).map((version) => `${name}-${version}`),
  );

  expect(kept.toSorted()).toEqual(Object.keys(FROZEN).toSorted());
  for (const [name, { version, earlier }] of Object.entries(programs))
    expect({ name, versions: [...Object.keys(earlier), version] }).toEqual({
      name,
      versions: Array.from({ length: Number(version) }, (_, index) => `${index + 1}`),
    });
});

test("what agent and converse offer a model is what their version offers", () => {
  const offers = syscallTools.map((tool) => offerOf(tool));

  const digest = createHash("sha256").update(JSON.stringify(offers)).digest("hex").slice(0, 32);

  // To change it, freeze the present versions of both programs with the offers as data (as agent-2 has them).
  expect({
    agent: programs["agent"]?.version,
    converse: programs["converse"]?.version,
    digest,
  }).toEqual({ agent: "4", converse: "2", digest: "2b88dc4fa9d97732791723e6251b78af" });
});
