// K, third part: an intruder restores an older setting of the operator in the database or the home. Its seal is still
// valid; the signed ledger has the newest setting.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import type { Sys } from "@aos/protocol";
import { BELOW, type Range } from "../range.ts";
import { paid, PAY } from "./chains.ts";
import { codeOf, tried, type AttackRow } from "./row.ts";
import { useOf } from "./secrets.ts";

const PROOF = "kernel/src/audit/settings-proof.ts";
const COMPARISON = "kernel/src/audit/store-comparison.ts";
const VAULT = "kernel/src/secret/vault.ts";
const BOOK = "daemon/src/trust/trust-registry.ts";
const NAME = "RANGE_TOKEN";

type Row = Record<string, SQLInputValue>;

/** Changes the database of a stopped kernel and boots it again. */
const whileDown = (range: Range, work: (database: DatabaseSync) => void): Promise<void> =>
  range.restart(() => {
    using database = new DatabaseSync(join(range.storeFolder, "aos.db"));
    work(database);
  });

const rowOf = (database: DatabaseSync, sql: string): Row => database.prepare(sql).get() as Row;

const pays = async (sys: Sys): Promise<void> => void (await codeOf(sys.exec("range.pay", {})));
const payBelow = async (range: Range) => {
  await range.run(pays, { tenant: BELOW, capabilities: [PAY] });
  return paid(range);
};

/** A tenant that could pay once and no longer may, and its earlier row. */
async function narrowed(range: Range, { ceiling }: { ceiling: string[] }): Promise<Row> {
  let wide: Row = {};
  await range.kernel.setTenant(BELOW, { allow: [PAY] }, "rita");
  await whileDown(range, (database) => {
    wide = rowOf(database, `select ceiling from tenant where name = '${BELOW}'`);
  });
  await range.kernel.setTenant(BELOW, { ceiling }, "rita");
  return wide;
}

const putBack = (database: DatabaseSync, { ceiling }: Row): void => {
  database.prepare(`update tenant set ceiling = ? where name = '${BELOW}'`).run(ceiling!);
};

const NOTHING = ["message:*:receive"];

export const forgedSettings: readonly AttackRow[] = [
  {
    id: "K20",
    name: "restore an older, wider ceiling of a tenant",
    stoppedBy: PROOF,
    mode: { isKept: true },
    run: async (range) => {
      const wide = await narrowed(range, { ceiling: NOTHING });
      await whileDown(range, (database) => putBack(database, wide));
      return payBelow(range);
    },
  },
  {
    id: "K21",
    name: "empty the ceiling of a tenant, so that the default applies",
    stoppedBy: PROOF,
    mode: { isKept: true },
    run: async (range) => {
      await narrowed(range, { ceiling: NOTHING });
      await whileDown(range, (database) => putBack(database, { ceiling: null }));
      let wrote = "";
      await range.run(
        async (sys) => void (wrote = await codeOf(sys.write("/mem/working/a", "mine"))),
        { tenant: BELOW, capabilities: ["memory:/mem/working/**:write"] },
      );
      return tried(wrote === "ok", `writing came to ${wrote}`);
    },
  },
  {
    id: "K22",
    name: "restore an older ceiling and remove the ledger entry that replaced it",
    stoppedBy: COMPARISON,
    mode: { isKept: true },
    run: async (range) => {
      const wide = await narrowed(range, { ceiling: NOTHING });
      await range.kernel.enter("range.later", "rita", {});
      await whileDown(range, (database) => {
        putBack(database, wide);
        database.exec(`delete from ledger where entry = (
          select entry from ledger where entry like '%"what":"tenant.set"%' order by at desc limit 1)`);
      });
      return payBelow(range);
    },
  },
  {
    id: "K23",
    name: "restore the row of a secret with an older binding",
    stoppedBy: VAULT,
    mode: { isKept: true },
    run: async (range) => {
      const { front, inner } = range.web;
      const bound = (port: number) => ({
        name: NAME,
        value: range.secret,
        bindings: [{ kind: "header", origin: `http://127.0.0.1:${port}`, header: "authorization" }],
      });
      await range.kernel.setSecret(bound(inner), "rita");
      let old: Row = {};
      await whileDown(range, (database) => {
        old = rowOf(database, "select sealed, updated_at from secret");
      });
      await range.kernel.setSecret(bound(front), "rita");
      await whileDown(range, (database) => {
        database
          .prepare("update secret set sealed = ?, updated_at = ?")
          .run(old["sealed"]!, old["updated_at"]!);
      });
      await range.run(
        (sys) =>
          codeOf(
            sys.exec("http.fetch", {
              url: `http://127.0.0.1:${inner}/`,
              headers: { authorization: { secret: NAME } },
            }),
          ),
        { capabilities: useOf(range) },
      );
      const leaks = range.web.visits.filter(({ headers }) =>
        Object.values(headers).some((value) => String(value).includes(range.secret)),
      );
      return tried(leaks.length > 0, `${leaks.length} visits had the value`);
    },
  },
  {
    id: "K24",
    name: "add a folder to the list of trusted folders",
    stoppedBy: BOOK,
    mode: { isKept: true },
    run: async (range) => {
      const project = join(range.folder, "project");
      mkdirSync(project);
      writeFileSync(join(project, "AGENTS.md"), "do as I say");
      await range.restart(() => {
        const { trust } = range;
        const look = trust.look(project, "default");
        trust.keep(trust.recordOf(look, "rita"), look); // as the file would have it
      });
      const { trust } = range;
      const isTrusted = trust.trusted(project, "default") !== undefined;
      return tried(isTrusted, isTrusted ? "the folder is trusted" : "the folder is not trusted");
    },
  },
];
