// D, first part: URLs that two parsers read as two different hosts.

import type { Json } from "@aos/protocol";
import type { Range } from "../range.ts";
import { codeOf, tried, type AttackRow, type AttackOutcome } from "./row.ts";

const URL_READER = "drivers/src/web/url.ts";

/** A part of one server, and nothing else. */
export const frontOf = ({ web }: Range): string[] => [
  "tool:http.*:call",
  `http:127.0.0.1:${web.front}/public/**:get`,
];

/** Makes one request, and checks which servers were visited. */
export async function visit(
  range: Range,
  tool: "http.fetch" | "http.send",
  args: { [name: string]: Json },
  capabilities: readonly string[] = frontOf(range),
): Promise<AttackOutcome> {
  let code = "";
  await range.run(async (sys) => void (code = await codeOf(sys.exec(tool, args))), {
    capabilities,
  });
  const breaches = range.web.breaches.map(({ method, path }) => `${method} ${path}`);
  return tried(breaches.length > 0, `${code}; visits: ${breaches.join(", ") || "none"}`);
}

const spelled =
  (urlOf: (ports: { readonly front: number; readonly inner: number }) => string) =>
  (range: Range): Promise<AttackOutcome> =>
    visit(range, "http.fetch", { url: urlOf(range.web), timeoutMs: 2000 });

const row = (
  id: string,
  name: string,
  urlOf: (ports: { readonly front: number; readonly inner: number }) => string,
): AttackRow => ({ id, name, stoppedBy: URL_READER, run: spelled(urlOf) });

export const urls: readonly AttackRow[] = [
  row(
    "D1",
    "put the granted host before an @",
    ({ front, inner }) => `http://127.0.0.1:${front}@127.0.0.1:${inner}/`,
  ),
  row(
    "D2",
    "end the host with a backslash",
    ({ front, inner }) => `http://127.0.0.1:${inner}\\@127.0.0.1:${front}/public/a`,
  ),
  row("D3", "hide a tab in the host", ({ inner }) => `http://127.0.\t0.1:${inner}/`),
  row("D4", "hide a line break in the scheme", ({ inner }) => `ht\ntp://127.0.0.1:${inner}/`),
  row(
    "D5",
    "write the address as one decimal number",
    ({ inner }) => `http://2130706433:${inner}/`,
  ),
  row("D6", "write the address in octal", ({ inner }) => `http://0177.0.0.1:${inner}/`),
  row("D7", "write the address in hexadecimal", ({ inner }) => `http://0x7f.0.0.1:${inner}/`),
  row("D8", "omit parts of the address", ({ inner }) => `http://127.1:${inner}/`),
  row(
    "D9",
    "write the address in full-width digits",
    ({ inner }) => `http://１２７.0.0.1:${inner}/`,
  ),
  row("D10", "write the address in circled digits", ({ inner }) => `http://①②⑦.⓪.⓪.①:${inner}/`),
  row("D11", "hide a soft hyphen in localhost", ({ inner }) => `http://local\u00adhost:${inner}/`),
  row("D12", "omit the slashes after the scheme", ({ inner }) => `http:127.0.0.1:${inner}/`),
  row("D13", "add a slash after the scheme", ({ inner }) => `http:///127.0.0.1:${inner}/`),
  row("D14", "encode a character of the host", ({ inner }) => `http://%31%32%37.0.0.1:${inner}/`),
  row(
    "D15",
    "leave the granted path with `..`",
    ({ front }) => `http://127.0.0.1:${front}/public/../private/key`,
  ),
  row(
    "D16",
    "leave the granted path with %2e%2e",
    ({ front }) => `http://127.0.0.1:${front}/public/%2e%2e/private/key`,
  ),
  row(
    "D17",
    "leave the granted path with an encoded slash that the server decodes",
    ({ front }) => `http://127.0.0.1:${front}/public/..%2fprivate/key`,
  ),
];
