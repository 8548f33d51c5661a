// Mail writes: what a commit does to mailboxes, open requests and dead letters, the same text for both
// databases.

import type { Write } from "./contract.ts";
import type { Statement } from "./writes.ts";

type MailOp =
  | "message.add"
  | "message.take"
  | "request.open"
  | "request.close"
  | "request.drop"
  | "letter.bury";

export function mailStatements(write: Extract<Write, { op: MailOp }>): readonly Statement[] {
  switch (write.op) {
    case "message.add": {
      const m = write.row;
      return [
        [
          "insert into message values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
          [
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
          ],
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
          `insert into dead_letter values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict (tenant, slot) do update
             set key = excluded.key, process = excluded.process, id = excluded.id, sender = excluded.sender,
               type = excluded.type, reply_to = excluded.reply_to, body = excluded.body, label = excluded.label,
               sent_at = excluded.sent_at, died_at = excluded.died_at, reason = excluded.reason`,
          [
            d.tenant,
            d.key % keep,
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
          ],
        ],
      ];
    }
  }
}
