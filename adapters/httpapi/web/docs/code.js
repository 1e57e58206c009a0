// A request as code. Each gets {method, url, type, body}: body is a text, or null.

const token = "Authorization";

const shell = (text) => `'${text.replaceAll("'", "'\\''")}'`;

function curl({ method, url, type, body, stream }) {
  const lines = [`curl ${stream ? "-N " : ""}${method === "GET" ? "" : `-X ${method} `}${shell(url)}`, `-H "${token}: Bearer $ORGD_TOKEN"`];
  if (body !== null) lines.push(`-H ${shell(`Content-Type: ${type}`)}`, `-d ${shell(body)}`);
  return lines.join(" \\\n  ");
}

function go({ method, url, type, body }) {
  const reader = body === null ? "nil" : `strings.NewReader(${body.includes("`") ? JSON.stringify(body) : `\`${body}\``})`;
  return `req, err := http.NewRequestWithContext(ctx, ${JSON.stringify(method)}, ${JSON.stringify(url)}, ${reader})
if err != nil {
	return err
}
req.Header.Set("${token}", "Bearer "+os.Getenv("ORGD_TOKEN"))
${body === null ? "" : `req.Header.Set("Content-Type", ${JSON.stringify(type)})\n`}res, err := http.DefaultClient.Do(req)
if err != nil {
	return err
}
defer res.Body.Close()
if res.StatusCode >= 300 {
	return fmt.Errorf("status %s", res.Status)
}`;
}

// literal writes a value of JSON as Python does.
function literal(value, indent = "") {
  const deeper = `${indent}    `;
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value !== "object") return JSON.stringify(value);
  const entries = Array.isArray(value) ? value.map((v) => literal(v, deeper)) : Object.entries(value).map(([k, v]) => `${JSON.stringify(k)}: ${literal(v, deeper)}`);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  return entries.length ? `${open}\n${entries.map((e) => `${deeper}${e},\n`).join("")}${indent}${close}` : `${open}${close}`;
}

const isJSON = (type) => /json$/.test(type ?? "");

function parsed(body) {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function python({ method, url, type, body, stream }) {
  const value = body !== null && isJSON(type) ? parsed(body) : undefined;
  const headers = [`"${token}": f"Bearer {os.environ['ORGD_TOKEN']}"`, ...(body !== null && type !== "application/json" || body !== null && value === undefined ? [`"Content-Type": ${JSON.stringify(type)}`] : [])];
  const sent = body === null ? "" : value === undefined ? `,\n    data=${JSON.stringify(body)}.encode()` : `,\n    json=${literal(value, "    ")}`;
  return `import os
import requests

answer = requests.${method.toLowerCase()}(
    ${JSON.stringify(url)},
    headers={${headers.join(", ")}}${sent}${stream ? ",\n    stream=True" : ""},
)
answer.raise_for_status()
${stream ? "for line in answer.iter_lines():\n    print(line.decode())" : "print(answer.text)"}`;
}

function typescript({ method, url, type, body, stream }) {
  const value = body !== null && isJSON(type) ? parsed(body) : undefined;
  const headers = [`${token}: \`Bearer \${process.env.ORGD_TOKEN}\``, ...(body === null ? [] : [`"Content-Type": ${JSON.stringify(type)}`])];
  const sent = body === null ? "" : `\n  body: ${value === undefined ? JSON.stringify(body) : `JSON.stringify(${JSON.stringify(value, null, 2).replaceAll("\n", "\n  ")})`},`;
  return `const answer = await fetch(${JSON.stringify(url)}, {
  method: ${JSON.stringify(method)},
  headers: { ${headers.join(", ")} },${sent}
});
if (!answer.ok) throw new Error(await answer.text());
${stream ? "for await (const part of answer.body!.pipeThrough(new TextDecoderStream())) console.log(part);" : "console.log(await answer.text());"}`;
}

export const languages = { curl, Go: go, Python: python, TypeScript: typescript };
