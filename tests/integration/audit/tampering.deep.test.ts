// Whatever is changed behind the kernel's back, the audit finds it and says which process and record.

import { rmSync } from "node:fs";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { createHash } from "node:crypto";
import type { AuditReport } from "@aos/kernel";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { inCopy, verify, verifyAfter, writeHistory, type History } from "./history.ts";

interface Row {
  readonly pos: number;
  readonly process: number;
  readonly pid: string;
  readonly seq: number;
  readonly record: string;
  readonly hash: Uint8Array;
}

let history: History;
let journal: Row[];
let processes: { key: number; pid: string; records: number; compacted: number }[];

beforeAll(async () => {
  history = await writeHistory();
  await verifyAfter(history, (database) => {
    const rows = database
      .prepare("select journal.*, pid from journal join process on key = process order by pos")
      .all();
    journal = rows.map((row) => ({
      ...(row as unknown as Row),
      seq: (JSON.parse(row["record"] as string) as { seq: number }).seq,
    }));
    processes = database
      .prepare(
        `select key, pid, compacted, (select count(*) from journal where process = key) as records from process`,
      )
      .all() as never;
  });
});

afterAll(() => rmSync(history.folder, { recursive: true, force: true, maxRetries: 20 }));

const flip = (text: string, at: number) =>
  text.slice(0, at) + (text[at] === "7" ? "8" : "7") + text.slice(at + 1);

const flipByte = (bytes: Uint8Array, at: number) => bytes.with(at, bytes[at]! ^ 1);

function expectBlame(report: AuditReport, pid: string, seq?: number): void {
  expect(report.ok).toBe(false);
  const blamed = report.findings.map((finding) => [finding.pid, finding.seq]);
  if (seq === undefined) expect(blamed.map(([pid]) => pid)).toContain(pid);
  else expect(blamed).toContainEqual([pid, seq]);
}

async function forEveryRow(
  change: (database: DatabaseSync, row: Row) => void,
  isNamed: "record" | "process" = "record",
): Promise<void> {
  for (const row of journal) {
    const report = await verifyAfter(history, (database) => change(database, row));
    expectBlame(report, row.pid, isNamed === "record" ? row.seq : undefined);
  }
}

test("an untouched history is found to be sound", async () => {
  const report = await verify(history.folder);

  expect(report).toMatchObject({ ok: true, findings: [] });
  expect(report.records).toBeGreaterThan(30);
  expect(report.logged).toBeGreaterThan(5);
});

describe("a record", () => {
  const set = (column: string, value: (row: Row) => string | number | Uint8Array) => {
    return (database: DatabaseSync, row: Row) =>
      void database
        .prepare(`update journal set ${column} = ? where pos = ?`)
        .run(value(row), row.pos);
  };

  test("a change of one character is found", () =>
    forEveryRow(set("record", ({ record, pos }) => flip(record, (pos * 31) % record.length))));

  test("a change of one byte of its hash is found", () =>
    forEveryRow(set("hash", ({ hash, pos }) => flipByte(hash, pos % 32))));

  test("a record that is given to another tenant is found", () =>
    forEveryRow(set("tenant", () => 2)));

  test("a record that is given to another process is found", () =>
    forEveryRow(set("process", (row) => processes.find(({ key }) => key !== row.process)!.key)));

  test("a record that points to another before it is found", () =>
    forEveryRow(
      set("prev", ({ pos }) => (pos > 2 ? pos - 2 : 77)),
      "process",
    ));

  test("a record that points to itself or ahead is found", () =>
    forEveryRow(
      set("prev", ({ pos }) => pos + (pos % 2)),
      "process",
    ));

  test("a record that is moved to another place is found", () =>
    forEveryRow(
      set("pos", ({ pos }) => pos + 1000),
      "process",
    ));

  test("a record that is deleted is missed", () =>
    forEveryRow(
      (database, { pos }) => void database.prepare("delete from journal where pos = ?").run(pos),
      "process",
    ));

  test("a record that changed places with the next of its process is found", () =>
    forEveryRow((database, row) => {
      const own = journal.filter(({ process }) => process === row.process);
      const other = own[(own.indexOf(row) + 1) % own.length]!;
      const put = database.prepare("update journal set record = ?, hash = ? where pos = ?");
      put.run(other.record, other.hash, row.pos);
      put.run(row.record, row.hash, other.pos);
    }, "process"));
});

describe("by someone who knows how it is kept", () => {
  const chainOf = (pid: string) => journal.filter((row) => row.pid === pid);

  test.each([1, 2, 3])(
    "the last %i records cut off, with the chain and the row mended",
    async (cut) => {
      for (const { key, pid, records, compacted } of processes) {
        if (compacted === 1 || records <= cut) continue;
        const report = await verifyAfter(history, (database) => {
          const own = chainOf(pid);
          const last = own[own.length - cut - 1]!;
          for (const { pos } of own.slice(-cut))
            database.prepare("delete from journal where pos = ?").run(pos);
          database
            .prepare("update chain set seq = ?, pos = ?, hash = ? where process = ?")
            .run(last.seq, last.pos, last.hash, key);
          database
            .prepare(
              `update process set state = 'paused', ended_at = null, exit_code = null, output = null,
               error = null, label = null where key = ?`,
            )
            .run(key);
        });

        expectBlame(report, pid);
        // A child without a living parent is ended at boot, and its new end is not the logged one.
        const kinds = new Set(report.findings.map(({ kind }) => kind));
        expect(kinds.has("truncated") || kinds.has("changed")).toBe(true);
      }
    },
  );

  test("a journal that is forged from some record on, with every hash right, is found", async () => {
    for (const pid of history.pids) {
      const own = chainOf(pid);
      const from = Math.floor(own.length / 2);
      const report = await verifyAfter(history, (database) => {
        let hash = Buffer.from(own[from - 1]!.hash).toString("hex");
        for (const row of own.slice(from)) {
          const record = row.record.replace(/"at":\d+/, '"at":1234567890123');
          hash = createHash("sha256").update(`${hash}\n${record}`).digest("hex");
          database
            .prepare("update journal set record = ?, hash = ? where pos = ?")
            .run(record, Buffer.from(hash, "hex"), row.pos);
        }
        database
          .prepare(
            "update chain set hash = ? where process = (select key from process where pid = ?)",
          )
          .run(Buffer.from(hash, "hex"), pid);
        database.prepare("update process set ended_at = 1234567890123 where pid = ?").run(pid);
      });

      expectBlame(report, pid, own.at(-1)!.seq);
    }
  });

  test("a process removed with everything that was its own", async () => {
    for (const { key, pid } of processes) {
      const report = await verifyAfter(history, (database) => {
        database.prepare("delete from journal where process = ?").run(key);
        database.prepare("delete from chain where process = ?").run(key);
        database.prepare("delete from process where key = ?").run(key);
      });

      expectBlame(report, pid);
      expect(report.findings.map(({ kind }) => kind)).toContain("missing");
    }
  });

  test("a history that is deleted and passed off as compacted is found", async () => {
    for (const { key, pid, compacted } of processes) {
      if (compacted === 1 || pid === history.pids[0]) continue; // the first is shared by a fork
      const report = await verifyAfter(history, (database) => {
        database.prepare("delete from journal where process = ?").run(key);
        database.prepare("update chain set pos = 0 where process = ?").run(key);
        database.prepare("update process set compacted = 1 where key = ?").run(key);
      });

      expectBlame(report, pid);
    }
  });
});

describe("the row of a process", () => {
  const changes: readonly [column: string, value: string][] = [
    ["tenant", "2"],
    ["pid", "'agt_' || substr(pid, 5, 25) || '0'"],
    ["agent", "'another'"],
    ["parent", "coalesce(parent, 0) + 1"],
    ["parent_pid", "'agt_x'"],
    ["root", "root + 1"],
    ["depth", "depth + 1"],
    ["state", "case state when 'completed' then 'failed' else 'completed' end"],
    ["exit_code", "exit_code + 1"],
    ["started_at", "started_at + 1"],
    ["ended_at", "ended_at + 1"],
    ["spec", `replace(spec, '"budget":{}', '"budget":{"usd":9}')`],
    ["spec", `replace(spec, 'memory:/mem/**', 'memory:/**')`],
    ["spec", `substr(spec, 2)`],
    ["output", `'"something else"'`],
    ["error", `'{"code":"EACCES","message":"made up"}'`],
    ["label", `'trusted/secret'`],
  ];

  test.each(changes)("its %s set to %s", async (column, value) => {
    for (const { key, pid } of processes) {
      let isChanged = true;
      const report = await verifyAfter(history, (database) => {
        const read = () => database.prepare(`select ${column} from process where key = ?`).get(key);
        const before = JSON.stringify(read());
        database.prepare(`update process set ${column} = ${value} where key = ?`).run(key);
        isChanged = JSON.stringify(read()) !== before;
      });

      if (!isChanged) continue;
      expect(report.ok).toBe(false);
      if (column !== "pid" && value !== "substr(spec, 2)") expectBlame(report, pid);
    }
  });

  test.each([
    ["base", "base + 1"],
    ["compacted", "1 - compacted"],
  ])("its %s", async (column, value) => {
    for (const { key, pid, compacted } of processes) {
      if (column === "base" && compacted === 1) continue; // there is nothing left to go on from
      const report = await verifyAfter(history, (database) => {
        database.prepare(`update process set ${column} = ${value} where key = ?`).run(key);
      });

      expectBlame(report, pid);
    }
  });

  test.each([
    "seq = seq + 1",
    "seq = seq - 1",
    "hash = zeroblob(32)",
    "micro_usd = micro_usd + 1",
    "tokens = tokens + 1",
  ])("the end of its chain: %s", async (change) => {
    for (const { key, pid } of processes) {
      const report = await verifyAfter(history, (database) => {
        database.prepare(`update chain set ${change} where process = ?`).run(key);
      });

      expectBlame(report, pid);
    }
  });

  test("a process whose chain is taken away is found", async () => {
    for (const { key, pid } of processes) {
      const report = await verifyAfter(history, (database) => {
        database.prepare("delete from chain where process = ?").run(key);
      });

      expectBlame(report, pid);
    }
  });
});

describe("what records refer to", () => {
  test.each(["update manifest set body = body || ' '", "delete from manifest"])(
    "%s",
    async (sql) => {
      const report = await verifyAfter(history, (database) => database.exec(sql));

      for (const { pid } of processes) expectBlame(report, pid);
    },
  );

  test.each(["update blob set body = replace(body, 'e', 'f')", "delete from blob"])(
    "%s, one at a time",
    async (sql) => {
      let digests: string[] = [];
      await verifyAfter(history, (database) => {
        const rows = database.prepare("select digest from blob where body like '%e%'").all();
        digests = rows.map((row) => row["digest"] as string);
      });

      expect(digests.length).toBeGreaterThan(2);
      for (const digest of digests) {
        const report = await verifyAfter(history, (database) => {
          database.prepare(`${sql} where digest = ?`).run(digest);
        });
        expect(report.findings.map(({ kind }) => kind)).toContain("blob");
        const { pid, seq } = report.findings.find(({ kind }) => kind === "blob")!;
        expect(pid).toMatch(/^agt_/);
        expect(seq).toBeGreaterThanOrEqual(0);
      }
    },
  );
});

describe("the signed log", () => {
  test("any file changed or taken away is found, or refused at boot", async () => {
    const files = (
      await readdir(join(history.folder, "audit"), { recursive: true, withFileTypes: true })
    )
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(history.folder.length));
    expect(files.length).toBeGreaterThan(2);

    const isFound = (change: (file: string) => Promise<void>, file: string) =>
      inCopy(history.folder, async (copy) => {
        await change(join(copy, file));
        return verify(copy).then(
          (report) => !report.ok,
          (error: unknown) => /log|checkpoint/.test(String(error)),
        );
      });

    for (const file of files) {
      for (const part of [0.1, 0.5, 0.9]) {
        const changed = await isFound(async (path) => {
          const bytes = await readFile(path);
          await writeFile(path, flipByte(bytes, Math.floor(bytes.length * part)));
        }, file);
        expect([file, part, changed]).toEqual([file, part, true]);
      }
      expect([file, await isFound((path) => rm(path), file)]).toEqual([file, true]);
    }
  });
});
