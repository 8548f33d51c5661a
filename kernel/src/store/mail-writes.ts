// Mail writes: what a commit does to mailboxes, open requests and dead letters, the same text for both
// databases.

import type { Write } from "./contract.ts";
import type { MessageRow } from "./rows.ts";
import type { SqlValue, Statement } from "./writes.ts";

type MailOp =
  | "message.add"
  | "message.take"
  | "request.open"
  | "request.close"
  | "request.drop"
  | "letter.bury"
  | "letter.redrive"
  | "durable.put"
  | "topic.put";

/** Named, so that a message that says no more costs no more: later columns are null. */
const PLAIN =
  "key, tenant, process, id, sender, type, topic, reply_to, body, cause, sent_at, label";

const plainValues = (m: MessageRow): SqlValue[] => [
  m.key,
  m.tenant,
  m.process,
  m.id,
  m.from,
  m.type,
  m.topic,
  m.replyTo,
  m.body,
  m.cause,
  m.sentAt,
  m.label,
];

export function mailStatements(write: Extract<Write, { op: MailOp }>): readonly Statement[] {
  switch (write.op) {
    case "message.add": {
      const m = write.row;
      const plain = plainValues(m);
      const { lane = null, expiresAt = null, stream = null, subscription = null } = m;
      if (lane === null && expiresAt === null && stream === null && subscription === null)
        return [
          [`insert into message (${PLAIN}) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, plain],
        ];
      return [
        [
          `insert into message (${PLAIN}, lane, expires_at, stream, subscription)
             values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
          [...plain, lane, expiresAt, stream, subscription],
        ],
      ];
    }
    case "message.take":
      return [["delete from message where key = ?", [write.key]]];
    case "request.open": {
      const { id, tenant, process, target } = write.row;
      return [
        [
          "insert into request values (?, ?, ?, ?) on conflict do nothing",
          [id, tenant, process, target],
        ],
      ];
    }
    case "request.close":
      return [["delete from request where id = ?", [write.id]]];
    case "request.drop":
      return [["delete from request where process = ?", [write.process]]];
    case "letter.bury": {
      const { row: d, keep } = write;
      return [
        [
          `insert into dead_letter (tenant, slot, key, process, id, sender, type, reply_to, body, label, sent_at, died_at,
               reason, topic, cut, cause, lane)
             values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict (tenant, slot) do update
             set key = excluded.key, process = excluded.process, id = excluded.id, sender = excluded.sender,
               type = excluded.type, reply_to = excluded.reply_to, body = excluded.body, label = excluded.label,
               sent_at = excluded.sent_at, died_at = excluded.died_at, reason = excluded.reason,
               topic = excluded.topic, cut = excluded.cut, cause = excluded.cause, lane = excluded.lane`,
          [
            d.tenant,
            d.key, // its slot: two letters never have one
            d.key,
            d.process,
            d.id,
            d.from,
            d.type,
            d.replyTo,
            d.body,
            d.label,
            d.sentAt,
            d.diedAt,
            d.reason,
            d.topic,
            d.isCut ? 1 : 0,
            d.cause,
            d.lane,
          ],
        ],
        [
          `delete from dead_letter where tenant = ? and slot < (
             select slot from (select slot from dead_letter where tenant = ? order by slot desc limit ?) kept
               order by slot limit 1)`,
          [d.tenant, d.tenant, keep],
        ],
      ];
    }
    case "letter.redrive": {
      const { letter, row: m } = write;
      const of = [m.tenant, letter];
      // Locked first: of two that redrive it at once, the later finds nothing.
      return [
        ["update dead_letter set reason = reason where tenant = ? and key = ?", of],
        [
          `insert into message (${PLAIN}, lane) select ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?
             where exists (select 1 from dead_letter where tenant = ? and key = ?)`,
          [...plainValues(m), m.lane ?? null, ...of],
        ],
        ["delete from dead_letter where tenant = ? and key = ?", of],
      ];
    }
    case "durable.put": {
      const { key, tenant, agent, name, topic, isPattern, process } = write.row;
      return [
        [
          `insert into durable_subscription (key, tenant, agent, name, topic, is_pattern, process)
             values (?, ?, ?, ?, ?, ?, ?) on conflict (tenant, agent, name) do update
             set topic = excluded.topic, is_pattern = excluded.is_pattern, process = excluded.process`,
          [key, tenant, agent, name, topic, isPattern ? 1 : 0, process],
        ],
        ["update message set process = ? where subscription = ?", [process, key]],
      ];
    }
    case "topic.put":
      return write.schema === null
        ? [["delete from topic where tenant = ? and name = ?", [write.tenant, write.topic]]]
        : [
            [
              `insert into topic (tenant, name, schema) values (?, ?, ?)
                 on conflict (tenant, name) do update set schema = excluded.schema`,
              [write.tenant, write.topic, write.schema],
            ],
          ];
  }
}
