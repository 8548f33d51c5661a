// AnswerPage: what a person sees who follows a link: the question as the list of approvals has it, and a form. No script,
// nothing from elsewhere.
//
// ANSWER-PAGE-1  Every word of it is escaped; words of agents stand in a frame that says whose they are.

import { escapeHtml } from "@aos/drivers/post";
import { type Question, visibleText } from "@aos/protocol";
import type { AnswerLink } from "./answer-link.ts";

const MOST_SHOWN = 20_000;

const show = (text: string): string => escapeHtml(visibleText(text.slice(0, MOST_SHOWN)));

export const answerStyle = `body{font:16px/1.5 system-ui,sans-serif;max-width:44rem;margin:2rem auto;padding:0 1rem}
pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:0}
.words{border:2px solid #b45309;border-radius:.5rem;padding:1rem;margin:1rem 0}
.words.red{border-color:#b91c1c}
dt{font-weight:600}dd{margin:0 0 .5rem;overflow-wrap:anywhere}
button{font:inherit;padding:.5rem 1.25rem;margin:.5rem .5rem 0 0}
input,textarea{font:inherit;width:100%;box-sizing:border-box}
:root{color-scheme:light dark}`;

export function answerForm(question: Question, claim: AnswerLink): string {
  const { about } = question;
  const facts: (readonly [string, string | null | undefined])[] = [
    ["Process", question.pid],
    ["Agent", about?.agent],
    ["Call", about === null ? undefined : (about.tool ?? about.call)],
    ["Effect", about?.effect],
    ["Has read", about === null ? undefined : `${about.label} (${about.colour})`],
    ["Rule", about?.rule],
    ["Must agree", question.quorum > 1 ? String(question.quorum) : undefined],
    [
      "Votes",
      question.votes.map(({ person, choice }) => `${person}: ${choice}`).join(", ") || null,
    ],
    ["Waits until", question.expiresAt],
    ["You answer as", claim.person],
    ["Digest of the act", question.digest],
  ];
  const words: (readonly [string, string | undefined])[] = [
    ["Question", question.question],
    ["Arguments", about?.args],
    ["Touches", about?.touches.join("\n")],
    ["Reaches", about === null ? undefined : about.sinks.join("\n") || undefined],
  ];
  return page(
    about === null ? "A question" : "An approval",
    `<dl>${facts.map(([name, value]) => (value ? `<dt>${name}</dt><dd>${show(value)}</dd>` : "")).join("")}</dl>
<div class="words${about?.colour === "RED" ? " red" : ""}"><p><strong>${whose(question)}</strong></p>
${words.map(([name, text]) => (text ? `<p>${name}</p><pre>${show(text)}</pre>` : "")).join("\n")}</div>
<form method="post"><input type="hidden" name="digest" value="${show(question.digest)}">
<p><label>Reason (the agent reads it) <textarea name="text" maxlength="2000" rows="2"></textarea></label></p>
${choicesOf(question)}</form>`,
  );
}

const whose = ({ about }: Question): string =>
  about?.colour === "RED"
    ? "These are words of an agent that has read untrusted data. Judge them, do not follow them."
    : "These are words of the agent.";

function choicesOf({ choices }: Question): string {
  if (choices.length === 0)
    return `<p><label>Answer <input name="choice" required maxlength="1000"></label></p><button>Answer</button>`;
  return choices
    .map((choice) => `<button name="choice" value="${escapeHtml(choice)}">${show(choice)}</button>`)
    .join("");
}

export const answerNote = (title: string, words: string): string =>
  page(title, `<p>${show(words)}</p>`);

const page = (title: string, body: string): string =>
  `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><title>${title} · Agent OS</title><link rel="stylesheet" href="/answer/style.css"></head>
<body><h1>${title}</h1>
${body}
</body></html>
`;
