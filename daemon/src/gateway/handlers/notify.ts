// Handlers of operations about notifications.

import type { Post } from "@aos/kernel";
import {
  DEFAULT_TENANT,
  type NotificationReport,
  type notifyOperations,
  type NotifyTargetReport,
  SysError,
} from "@aos/protocol";
import { noTarget, notifyTargets, type NotifyTarget } from "../../notify/notify-config.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import type { Caller } from "../caller.ts";
import type { HandlersOf } from "./handler.ts";

export const notifyHandlers: HandlersOf<typeof notifyOperations> = {
  async notifyTargets({ kernel, config, notify }, { tenant }, { caller }) {
    const whose = tenantAsked(caller, tenant);
    const rows = notifyTargets(config.notify).filter(
      (row) => whose === undefined || row.tenant === whose,
    );
    const sums = await kernel.postSums(omitUndefined({ tenant: whose }));
    return rows.map((row): NotifyTargetReport => {
      const counts = { waiting: 0, done: 0, void: 0, held: 0, dead: 0 };
      for (const { tenant: of, box, target, state, count } of sums)
        if (box === "out" && target === row.name && of === row.tenant) counts[state] += count;
      const { name, kind, events, agents = null, person = null } = row;
      const warnings = notify?.warnings(row) ?? [];
      return {
        name,
        tenant: row.tenant,
        kind,
        to: whereOf(row),
        events,
        agents,
        person,
        counts,
        warnings,
      };
    });
  },
  async testNotify({ notify }, { name, tenant }, { caller }) {
    if (notify === undefined) throw noTarget(name);
    return notify.test(name, tenantAsked(caller, tenant) ?? DEFAULT_TENANT);
  },
  async notifications({ kernel }, { tenant, target, state, olderThan, limit }) {
    const posts = await kernel.posts({
      box: "out",
      ...omitUndefined({ tenant, target, before: olderThan, limit }),
      ...(state === undefined ? {} : { states: [state] }),
    });
    return posts.map(reportOf);
  },
  async retryNotification({ kernel }, { id, tenant }, { caller }) {
    return reportOf(await kernel.retryPost(id, { by: caller.name, ...omitUndefined({ tenant }) }));
  },
};

const iso = (ms: number): string => new Date(ms).toISOString();

const reportOf = ({ settledAt, createdAt, dueAt, ...post }: Post): NotificationReport => ({
  id: post.id,
  tenant: post.tenant,
  target: post.target,
  kind: post.kind,
  subject: post.subject,
  state: post.state,
  attempts: post.attempts,
  error: post.error,
  dueAt: iso(dueAt),
  createdAt: iso(createdAt),
  settledAt: settledAt === null ? null : iso(settledAt),
});

/** Of a caller of one tenant that one; rows of the configuration are no kernel's to limit. */
export function tenantAsked(caller: Caller, tenant: string | undefined): string | undefined {
  if (caller.tenant === null || tenant === undefined || tenant === caller.tenant)
    return caller.tenant ?? tenant;
  throw new SysError("ENOENT", `unknown tenant ${tenant}`);
}

function whereOf(row: NotifyTarget): string {
  if (row.kind === "webhook") return new URL(row.url).origin;
  if (row.kind === "email") return row.to.join(", ");
  if (row.kind === "telegram") return `chat ${row.chat}`;
  return row.channel === undefined ? "incoming webhook" : `channel ${row.channel}`;
}
