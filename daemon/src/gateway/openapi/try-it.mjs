// Try it: what the forms of /docs do in the browser. Served as it is written: no build, nothing from elsewhere.
//
// TRY-IT-1  A request is sent when a person presses the button of its form, and never otherwise: no form is
//     filled in or sent by the address of the page.
// TRY-IT-2  A request goes to the daemon that the page is from, with the browser's session and nothing more.
// TRY-IT-3  What comes back is shown as text, and cut after 200,000 characters.

/* global document, location, fetch, AbortController, TextDecoder, HTMLFormElement */

const MOST_SHOWN = 200_000;

/** What is being sent, by its form. */
const underWay = new Map();

for (const form of document.querySelectorAll("form.try")) {
  form.querySelector("fieldset").disabled = false;
  form.querySelector("button.stop").addEventListener("click", () => underWay.get(form)?.abort());
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (event.isTrusted) void send(form); // TRY-IT-1
  });
}

async function send(form) {
  const output = form.querySelector("output");
  const stop = form.querySelector("button.stop");
  const aborter = new AbortController();
  underWay.get(form)?.abort();
  underWay.set(form, aborter);
  output.hidden = false;
  stop.hidden = false;
  output.textContent = "…";
  try {
    const { url, init } = requestOf(form);
    const response = await fetch(url, { ...init, signal: aborter.signal });
    const head = `${response.status} ${response.statusText}\n`;
    output.textContent = head;
    await show(response, output);
    if (response.status === 401)
      output.textContent += `\n\nNobody is logged in here: open ${location.origin}/ and log in.`;
  } catch (error) {
    const said = aborter.signal.aborted ? "stopped" : String(error.message ?? error);
    output.textContent += `\n${said}`;
  } finally {
    if (underWay.get(form) === aborter) {
      underWay.delete(form);
      stop.hidden = true;
    }
  }
}

/** The request that the fields of a form make. Throws for what cannot be sent. */
function requestOf(form) {
  const { method, path } = form.dataset;
  const headers = {};
  const query = new URLSearchParams();
  let address = path;
  for (const field of form.querySelectorAll("input[data-in]")) {
    const { name, value } = field;
    if (value === "") {
      if (field.dataset.in === "path") throw new Error(`${name} is needed`);
      continue;
    }
    if (field.dataset.in === "path")
      address = address.replace(`{${name}}`, encodeURIComponent(value));
    else if (field.dataset.in === "query") query.append(name, value);
    else headers[name] = value;
  }
  const text = form.querySelector("textarea")?.value.trim() ?? "";
  const body = method === "GET" || text === "" ? undefined : JSON.stringify(JSON.parse(text));
  if (body !== undefined) headers["content-type"] = "application/json";
  const asked = query.size === 0 ? address : `${address}?${query}`;
  // TRY-IT-2: a path alone, so that no other host can be meant.
  const url = new URL(asked, location.origin);
  if (url.origin !== location.origin) throw new Error("only this daemon can be asked");
  const init = {
    method,
    headers,
    credentials: "same-origin",
    redirect: "error",
    cache: "no-store",
  };
  return { url: url.href, init: body === undefined ? init : { ...init, body } };
}

/** TRY-IT-3. Streams are shown as they come. */
async function show(response, output) {
  const isJson = /\bjson\b/.test(response.headers.get("content-type") ?? "");
  const head = output.textContent;
  let text = "";
  const decoder = new TextDecoder();
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    text += decoder.decode(value, { stream: true });
    output.textContent = head + text.slice(0, MOST_SHOWN);
    if (text.length <= MOST_SHOWN) continue;
    await reader.cancel();
    output.textContent += "\n… (cut)";
    return;
  }
  if (isJson && text !== "") output.textContent = head + indented(text);
}

function indented(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text; // several documents, a line each
  }
}
