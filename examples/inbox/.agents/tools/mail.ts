// mail.send: hands a mail to the outside. Here the outside is the folder /work/sent; a real one is a `context.fetch` to
// the mail service, with its key in a header: `{{secret:MAIL_KEY}}`.

import { defineTool, z } from "agent-os";

export const send = defineTool({
  name: "mail.send",
  version: "1",
  description: "Send a mail to one person. It cannot be taken back.",
  input: z.strictObject({
    to: z.email().max(200),
    subject: z.string().min(1).max(200),
    text: z.string().min(1).max(20_000),
    draft: z
      .string()
      .regex(/^[a-z0-9-]{1,60}$/)
      .describe("The name of its draft, without .md"),
  }),
  output: z.strictObject({ sent: z.string(), to: z.string() }),
  effect: "external",
  sinks: ["egress", "write"],
  authority: ["to"],
  touches: [{ kind: "file", resource: "/work/sent/{draft}.eml", verb: "write" }],
  run: async ({ to, subject, text, draft }, context) => {
    const sent = `/work/sent/${draft}.eml`;
    await context.write(sent, `To: ${to}\nSubject: ${subject.replace(/\s+/g, " ")}\n\n${text}\n`);
    return { sent, to };
  },
});
