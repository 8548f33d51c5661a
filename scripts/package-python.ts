// `npm run package:python`: the Python client as a wheel, with its types. Nothing but Node is needed.
//
//   npm run package:python               dist/agent_os-VERSION-py3-none-any.whl
//   npm run package:python -- --to DIR   the same in another folder than dist/
//
// PACKAGE-PYTHON-1  The same source gives the same bytes.
// PACKAGE-PYTHON-2  The wheel's `aos` has all of sdk/python/aos.py, which by itself is the client in one file.

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { readManifest, repository } from "./package/contents.ts";
import { zip } from "./package/zip.ts";

const { values } = parseArgs({ options: { to: { type: "string", default: "dist" } } });
const { name, version, description, license } = readManifest("");

const source = (path: string): Buffer => readFileSync(join(repository, path));
const info = `${name.replaceAll("-", "_")}-${version}.dist-info`;
const files = new Map<string, Buffer>([
  ["aos/__init__.py", source("sdk/python/package/__init__.py")],
  ["aos/_agent.py", source("sdk/python/package/_agent.py")],
  ["aos/_async_client.py", source("sdk/python/package/_async_client.py")],
  ["aos/_client.py", source("sdk/python/aos.py")],
  ["aos/py.typed", Buffer.alloc(0)],
  [`${info}/LICENSE`, source("LICENSE")],
  [`${info}/METADATA`, Buffer.from(metadata())],
  [`${info}/WHEEL`, Buffer.from(wheelText())],
  [`${info}/top_level.txt`, Buffer.from("aos\n")],
]);
files.set(`${info}/RECORD`, Buffer.from(record()));

function metadata(): string {
  return `Metadata-Version: 2.1
Name: ${name}
Version: ${version}
Summary: Write agents for Agent OS in Python. ${description}
License: ${license}
Requires-Python: >=3.9
Classifier: Programming Language :: Python :: 3
Classifier: Programming Language :: Python :: 3 :: Only
Classifier: Operating System :: POSIX
Classifier: Typing :: Typed
Description-Content-Type: text/markdown

${source("sdk/python/README.md").toString()}`;
}

function wheelText(): string {
  return "Wheel-Version: 1.0\nGenerator: agent-os\nRoot-Is-Purelib: true\nTag: py3-none-any\n";
}

/** Every file with its digest; itself without. */
function record(): string {
  const lines = Array.from(files, ([path, data]) => {
    const digest = createHash("sha256").update(data).digest("base64url");
    return `${path},sha256=${digest},${data.length}`;
  });
  return `${[...lines, `${info}/RECORD,,`].join("\n")}\n`;
}

const wheel = `${name.replaceAll("-", "_")}-${version}-py3-none-any.whl`;
const folder = resolve(repository, values.to);
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, wheel), zip(files));
console.log(join(values.to, wheel));
