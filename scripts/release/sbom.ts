// SBOM: what a release is made of, as CycloneDX 1.6 in JSON: our package, the packages of others that it runs with, Node
// and the libraries inside Node.
//
// SBOM-1  The same release has the same bytes: its time is the day of the release, its number follows from its content.

import { createHash } from "node:crypto";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { InstalledPackage } from "../deb/dependencies.ts";
import { readManifest, repository } from "../package/contents.ts";

interface Lock {
  readonly packages: Readonly<Record<string, { readonly integrity?: string }>>;
}

/** What Node has inside, by the names of `process.versions`, with where it comes from. */
const insideNode: Readonly<Record<string, string>> = {
  v8: "https://v8.dev",
  uv: "https://libuv.org",
  openssl: "https://www.openssl.org",
  zlib: "https://zlib.net",
  brotli: "https://github.com/google/brotli",
  zstd: "https://github.com/facebook/zstd",
  ares: "https://c-ares.org",
  nghttp2: "https://nghttp2.org",
  llhttp: "https://github.com/nodejs/llhttp",
  icu: "https://icu.unicode.org",
  simdjson: "https://github.com/simdjson/simdjson",
  simdutf: "https://github.com/simdutf/simdutf",
  ada: "https://github.com/ada-url/ada",
  sqlite: "https://www.sqlite.org",
  undici: "https://github.com/nodejs/undici",
};

const purl = (name: string, version: string): string =>
  `pkg:npm/${name.replace("@", "%40")}@${version}`;

export function sbomOf(packages: readonly InstalledPackage[], releasedAt: number): string {
  const { name, version, description, license } = readManifest("");
  const lock = JSON.parse(readFileSync(join(repository, "package-lock.json"), "utf8")) as Lock;
  const own = {
    type: "application",
    "bom-ref": purl(name, version),
    name,
    version,
    description,
    licenses: [{ license: { id: license } }],
    purl: purl(name, version),
  };
  const others = packages.map((one) => componentOf(one, lock.packages[one.place]?.integrity));
  const node = nodeComponents();
  const components = distinct([...others, ...node]);
  const content = {
    metadata: {
      timestamp: new Date(releasedAt * 1000).toISOString(),
      component: own,
    },
    components,
    dependencies: [
      { ref: own["bom-ref"], dependsOn: components.map((one) => one["bom-ref"]).toSorted() },
    ],
  };
  const digest = createHash("sha256").update(JSON.stringify(content)).digest("hex");
  const serial = `${digest.slice(0, 8)}-${digest.slice(8, 12)}-5${digest.slice(13, 16)}-8${digest.slice(17, 20)}-${digest.slice(20, 32)}`;
  const bom = {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    serialNumber: `urn:uuid:${serial}`,
    version: 1,
    ...content,
  };
  return `${JSON.stringify(bom, null, 2)}\n`;
}

function componentOf({ name, version, license }: InstalledPackage, integrity?: string) {
  const hash = integrity?.startsWith("sha512-")
    ? Buffer.from(integrity.slice("sha512-".length), "base64").toString("hex")
    : undefined;
  const isExpression = / (?:OR|AND|WITH) /.test(license);
  const known = isExpression ? { expression: license } : { license: { id: license } };
  return {
    type: "library",
    "bom-ref": purl(name, version),
    name,
    version,
    licenses: [license.startsWith("see ") ? { license: { name: license } } : known],
    purl: purl(name, version),
    ...(hash === undefined ? {} : { hashes: [{ alg: "SHA-512", content: hash }] }),
  };
}

function nodeComponents() {
  const command = join(repository, "node_modules", `node-linux-${process.arch}`, "bin/node");
  const script = "console.log(JSON.stringify(process.versions))";
  const asked = existsSync(command) ? command : process.execPath;
  const versions = JSON.parse(execFileSync(asked, ["-e", script], { encoding: "utf8" })) as Record<
    string,
    string
  >;
  const version = versions["node"]!;
  const inside = Object.entries(insideNode).flatMap(([name, url]) => {
    const theirs = versions[name];
    if (theirs === undefined) return [];
    return [
      {
        type: "library",
        "bom-ref": `node-${version}/${name}@${theirs}`,
        name,
        version: theirs,
        description: `inside Node ${version}`,
        externalReferences: [{ type: "website", url }],
      },
    ];
  });
  return [
    {
      type: "platform",
      "bom-ref": `pkg:generic/node@${version}`,
      name: "node",
      version,
      licenses: [{ license: { id: "MIT" } }],
      purl: `pkg:generic/node@${version}`,
    },
    ...inside,
  ];
}

/** One version of a package may be installed in two places. */
function distinct<One extends { readonly "bom-ref": string }>(all: readonly One[]): One[] {
  return [...new Map(all.map((one) => [one["bom-ref"], one])).values()];
}
