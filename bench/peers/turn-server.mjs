// Turn server: an OpenAI-compatible server in a process of its own, that answers at once. It prints its
// address on one line, and ends when its standard input does.
//
// It answers as it is asked: whole, or as a stream (`"stream": true`) of the same words.

import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { ANSWER, argumentsOf, TURNS } from "./turn-work.mjs";

const CREATED = 1_760_000_000;

function saidTo({ messages, tools }) {
  const shown = messages.filter(({ role }) => role === "tool").length;
  if (shown >= TURNS) return { message: { role: "assistant", content: ANSWER }, finish: "stop" };
  const call = {
    id: `call_${shown}`,
    type: "function",
    function: { name: tools[0].function.name, arguments: JSON.stringify(argumentsOf(shown)) },
  };
  return { message: { role: "assistant", content: null, tool_calls: [call] }, finish: "tool_calls" };
}

function usageOf(text) {
  const prompt = Math.ceil(text.length / 4);
  return { prompt_tokens: prompt, completion_tokens: 40, total_tokens: prompt + 40 };
}

function answerWhole(response, head, { message, finish }, usage) {
  const text = JSON.stringify({
    ...head,
    object: "chat.completion",
    choices: [{ index: 0, message, finish_reason: finish }],
    usage,
  });
  response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
  response.end(text);
}

function answerInPieces(response, head, { message, finish }, usage) {
  const { tool_calls: calls } = message;
  const delta = calls === undefined ? message : { ...message, tool_calls: calls.map((call, index) => ({ index, ...call })) };
  const pieces = [
    { choices: [{ index: 0, delta, finish_reason: null }] },
    { choices: [{ index: 0, delta: {}, finish_reason: finish }] },
    { choices: [], usage },
  ];
  const lines = pieces.map((piece) => `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", ...piece })}\n\n`);
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.end(`${lines.join("")}data: [DONE]\n\n`);
}

const server = createServer((request, response) => {
  let text = "";
  request.setEncoding("utf8").on("data", (piece) => (text += piece));
  request.on("end", () => {
    const asked = JSON.parse(text);
    const head = { id: `chatcmpl-${randomUUID()}`, created: CREATED, model: asked.model };
    const answer = asked.stream === true ? answerInPieces : answerWhole;
    answer(response, head, saidTo(asked), usageOf(text));
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
process.stdin.resume().on("end", () => process.exit());
