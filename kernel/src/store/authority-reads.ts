// Reads about power: what processes hold, labels of resources, secrets, the ledger. The same SQL for both databases.

import { LIVING } from "./claim.ts";
import { numberValue, orNull, textValue, type Row, type RunQuery } from "./row-values.ts";
import type { BlockSpec, HoldingRow, LedgerRow, ProcessKey, SecretRow, TenantKey } from "./rows.ts";

export const holdingRow = (row: Row): HoldingRow => ({
  handle: textValue(row["handle"]),
  tenant: numberValue(row["tenant"]),
  process: numberValue(row["process"]),
  agent: textValue(row["agent"]),
  state: textValue(row["state"]) as HoldingRow["state"],
  blocks: JSON.parse(textValue(row["blocks"])) as BlockSpec[],
  givenBy: textValue(row["given_by"]),
  givenAt: numberValue(row["given_at"]),
  expiresAt: orNull(row["expires_at"], Number),
  reason: orNull(row["reason"], String),
});

const ledgerRow = (row: Row): LedgerRow => ({
  node: textValue(row["node"]),
  seq: numberValue(row["seq"]),
  tenant: numberValue(row["tenant"]),
  at: numberValue(row["at"]),
  entry: textValue(row["entry"]),
  hash: row["hash"] as Uint8Array,
});

export const authorityReads = (query: RunQuery) => ({
  async holding(handle: string): Promise<HoldingRow | undefined> {
    const [row] = await query("select * from holding where handle = ?", [handle]);
    return row && holdingRow(row);
  },

  async holdingsOf(process: ProcessKey): Promise<HoldingRow[]> {
    const rows = await query("select * from holding where process = ? order by given_at, handle", [
      process,
    ]);
    return rows.map(holdingRow);
  },

  async holdingsBy(id: string): Promise<HoldingRow[]> {
    if (!/^[A-Za-z0-9_-]+$/.test(id)) return [];
    const rows = await query(
      "select * from holding where state <> 'revoked' and (handle = ? or blocks like ?) order by handle",
      [id, `%"id":"${id}"%`],
    );
    return rows.map(holdingRow);
  },

  async livingElsewhere(tenant: TenantKey, agent: string, node: string): Promise<ProcessKey[]> {
    const rows = await query(
      `select process.key from process join chain on chain.process = process.key
         where process.${LIVING} and process.tenant = ? and process.agent = ? and chain.node <> ?
         order by process.key`,
      [tenant, agent, node],
    );
    return rows.map((row) => numberValue(row["key"]));
  },

  async standing(tenant: TenantKey, agent?: string): Promise<HoldingRow[]> {
    const rows = await query(
      `select * from holding where process = 0 and tenant = ? ${agent === undefined ? "" : "and agent = ?"}
         order by given_at, handle`,
      agent === undefined ? [tenant] : [tenant, agent],
    );
    return rows.map(holdingRow);
  },

  async revokedIds(): Promise<string[]> {
    return (await query("select id from revoked", [])).map((row) => textValue(row["id"]));
  },

  async resourceLabel(tenant: TenantKey, resource: string): Promise<string | undefined> {
    const [row] = await query(
      "select label from resource_label where tenant = ? and resource = ?",
      [tenant, resource],
    );
    return row && textValue(row["label"]);
  },

  async resourceLabelsBelow(tenant: TenantKey, prefix: string): Promise<string[]> {
    const rows = await query(
      "select distinct label from resource_label where tenant = ? and resource >= ? and resource < ?",
      [tenant, prefix, `${prefix}\u{10ffff}`],
    );
    return rows.map((row) => textValue(row["label"]));
  },

  /** Each with its resource. */
  async resourceMarksBelow(
    tenant: TenantKey,
    prefix: string,
  ): Promise<{ resource: string; label: string }[]> {
    const rows = await query(
      "select resource, label from resource_label where tenant = ? and resource >= ? and resource < ?",
      [tenant, prefix, `${prefix}\u{10ffff}`],
    );
    return rows.map((row) => ({
      resource: textValue(row["resource"]),
      label: textValue(row["label"]),
    }));
  },

  async blocksWith(prefix: string): Promise<{ id: string; state: string }[]> {
    const rows = await query("select id, state from block where id >= ? and id < ?", [
      prefix,
      `${prefix}\u{10ffff}`,
    ]);
    return rows.map((row) => ({ id: textValue(row["id"]), state: textValue(row["state"]) }));
  },

  async secrets(): Promise<SecretRow[]> {
    const rows = await query("select * from secret order by tenant, name", []);
    return rows.map((row) => ({
      tenant: numberValue(row["tenant"]),
      name: textValue(row["name"]),
      sealed: textValue(row["sealed"]),
      updatedAt: numberValue(row["updated_at"]),
    }));
  },

  async ledgerHas(what: string): Promise<boolean> {
    const rows = await query("select 1 as one from ledger where entry like ? limit 1", [
      `%"what":"${what}"%`,
    ]);
    return rows.length > 0;
  },

  async ledgerOf(what: string): Promise<LedgerRow[]> {
    const rows = await query("select * from ledger where entry like ? order by at, node, seq", [
      `%"what":"${what}"%`,
    ]);
    return rows.map(ledgerRow).filter(({ entry }) => {
      return (JSON.parse(entry) as { what?: string }).what === what; // not in somebody's words
    });
  },

  async ledger(): Promise<LedgerRow[]> {
    return (await query("select * from ledger order by node, seq", [])).map(ledgerRow);
  },

  async ledgerAfter(node: string, seq: number, limit: number): Promise<LedgerRow[]> {
    const rows = await query(
      "select * from ledger where node = ? and seq > ? order by seq limit ?",
      [node, seq, limit],
    );
    return rows.map(ledgerRow);
  },

  async ledgerTail(limit: number): Promise<LedgerRow[]> {
    const rows = await query("select * from ledger order by at desc, node desc, seq desc limit ?", [
      limit,
    ]);
    return rows.map(ledgerRow);
  },

  async ledgerEnd(node: string): Promise<LedgerRow | undefined> {
    const [row] = await query("select * from ledger where node = ? order by seq desc limit 1", [
      node,
    ]);
    return row && ledgerRow(row);
  },

  async ledgersGrownSince(ms: number): Promise<LedgerRow[]> {
    const rows = await query(
      `select * from ledger where at >= ? and not exists (
         select 1 from ledger later where later.node = ledger.node and later.seq > ledger.seq) order by node`,
      [ms],
    );
    return rows.map(ledgerRow);
  },
});
