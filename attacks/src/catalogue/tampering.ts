// K, first part: changes of the disk behind the kernel's back. The owner of the disk can make them; they must be
// detected.

import { cp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Range } from "../range.ts";
import { PAY } from "./chains.ts";
import { readPage, TOOLS } from "./labels.ts";
import { codeOf, tried, type AttackRow, type AttackOutcome } from "./row.ts";

const AUDIT = "kernel/src/audit/audit.ts";
const MARK = "alice-0000000001";
const OTHER = "mallory-00000001";

/** A short history: a payment, a page, a grant, an answer of a person, and a large value. */
async function history(range: Range): Promise<void> {
  const rules = [
    { id: "rest", allow: "*" },
    { id: "ask", ask: "tool:range.wipe", channel: "range.pair", quorum: 1 },
  ];
  await range.under({ version: 1, rules });
  range.person = "is silent";
  const pid = await range.start(
    async (sys) => {
      await sys.receive();
      await codeOf(sys.exec("range.pay", { to: MARK }));
      await codeOf(sys.exec("range.look", { give: `seen by ${MARK}` }));
      await codeOf(sys.write("/mem/shared/large", `large for ${MARK} `.repeat(400)));
      await codeOf(sys.exec("range.wipe", {}));
      await codeOf(sys.write("/mem/shared/plan", "as Dorothea said"));
      await codeOf(readPage(sys));
      await codeOf(sys.write("/mem/shared/rumour", "as Rosalind said"));
    },
    { capabilities: [TOOLS, "memory:/mem/**:*"] },
  );
  await range.kernel.grant(
    { pid },
    { capabilities: [`${PAY}{pin.to:"bernadette"}`], by: "rita", reason: "for Bernadette" },
  );
  await range.kernel.send(pid, "go");
  const { id } = await range.question();
  for (const by of ["ann", "ben"])
    await range.kernel.answer(id, { by, choice: "approve", text: "as agreed with Carla" });
  await range.end(pid);
}

const database = (range: Range): string => join(range.storeFolder, "aos.db");

/** Every place in the database with this text, and the text before it. */
async function places(range: Range, text: string): Promise<{ at: number; before: string }[]> {
  const bytes = await readFile(database(range));
  const found: { at: number; before: string }[] = [];
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1))
    found.push({ at, before: bytes.subarray(Math.max(0, at - 400), at).toString("latin1") });
  return found;
}

/** Overwrites these bytes with others of the same length, in the intended places. */
async function overwrite(
  range: Range,
  from: string,
  to: string,
  isMeant: (before: string) => boolean = () => true,
): Promise<void> {
  if (from.length !== to.length) throw new Error("another length would break the page");
  const meant = (await places(range, from)).filter(({ before }) => isMeant(before));
  if (meant.length === 0) throw new Error(`there is no ${from} to change`);
  const bytes = await readFile(database(range));
  for (const { at } of meant) bytes.write(to, at, "latin1");
  await writeFile(database(range), bytes);
}

/** Whether the audit reports nothing after the change. */
const unnoticed =
  (change: (range: Range) => Promise<unknown>) =>
  async (range: Range): Promise<AttackOutcome> => {
    await history(range);
    const before = await range.kernel.verify();
    if (!before.ok) throw new Error(`it was not sound before: ${before.findings[0]?.message}`);
    const code = await codeOf(range.restart(async () => void (await change(range))));
    if (code !== "ok") return tried(false, `the kernel does not start: ${code}`);
    const { ok, findings } = await range.kernel.verify();
    return tried(ok, findings[0]?.message ?? "nothing was found");
  };

const row = (
  id: string,
  name: string,
  change: (range: Range) => Promise<unknown>,
  stoppedBy = AUDIT,
): AttackRow => ({
  id,
  name,
  stoppedBy,
  mode: { isKept: true },
  run: unnoticed(change),
});

const entryFiles = async (range: Range): Promise<string[]> => {
  const folder = join(range.storeFolder, "audit", "tile", "entries");
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  return found.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
};

export const tampering: readonly AttackRow[] = [
  row("K1", "change the recipient in the record of a payment", (range) =>
    overwrite(range, `"to":"${MARK}"`, `"to":"${OTHER}"`),
  ),
  row("K2", "change the result of a tool", (range) =>
    overwrite(range, `seen by ${MARK}`, `seen by ${OTHER}`),
  ),
  row("K3", "change the label in a record to trusted", (range) =>
    overwrite(range, "untrusted/public", "trusted/internal"),
  ),
  row(
    "K4",
    "change a blob",
    (range) => overwrite(range, `large for ${MARK}`, `large for ${OTHER}`),
    "kernel/src/audit/audit-blobs.ts",
  ),
  row("K5", "change the capabilities of the start record", (range) =>
    overwrite(range, "tool:range.*:call", "tool:*.rang*:call", (before) =>
      before.includes("mintedAt"),
    ),
  ),
  row(
    "K6",
    "change the person in a ledger entry",
    (range) => overwrite(range, "for Bernadette", "for Mallory..."),
    "kernel/src/audit/audit-ledger.ts",
  ),
  row(
    "K7",
    "change the text of an approval",
    (range) => overwrite(range, "as agreed with Carla", "as agreed with Danny"),
    "kernel/src/audit/audit-ledger.ts",
  ),
  row("K8", "change the row of a grant", (range) =>
    overwrite(range, "bernadette", "mallory...", (before) => before.includes("grt_")),
  ),
  row(
    "K9",
    "restore an older database",
    async (range) => {
      const old = `${database(range)}.old`;
      await cp(database(range), old);
      await range.restart();
      await range.run(async (sys) => codeOf(sys.exec("range.look", {})), { capabilities: [TOOLS] });
      await range.kernel.verify();
      await range.kernel.close();
      for (const part of ["-wal", "-shm"]) await rm(`${database(range)}${part}`, { force: true });
      await cp(old, database(range));
    },
    "kernel/src/audit/audit-log.ts",
  ),
  {
    ...row(
      "K10",
      "change an entry of the signed log",
      async (range) => {
        for (const file of await entryFiles(range)) {
          const bytes = await readFile(file);
          const at = bytes.length - 8;
          await writeFile(file, bytes.with(at, bytes[at]! ^ 1));
        }
      },
      "kernel/src/tlog/load-log.ts",
    ),
  },
  row(
    "K11",
    "remove the signed log",
    (range) => rm(join(range.storeFolder, "audit"), { recursive: true }),
    "kernel/src/audit/audit-log.ts",
  ),
  row("K12", "change the row of a memory file", (range) =>
    overwrite(range, "Dorothea", "Mallory.", (before) => !before.endsWith('"data":"as ')),
  ),
  row("K13", "change the label of a memory row to trusted", (range) =>
    overwrite(range, "untrusted/public", "trusted/internal", (before) =>
      before.slice(-100).includes("Rosalind"),
    ),
  ),
];
