// Shows the description that this service serves. A token that is pasted under
// "Authorize" stays in the memory of the page.
const here = new URL(".", document.baseURI).href;
const answer = await fetch(new URL("api/v1/openapi.json", here));
const spec = await answer.json();
// Operations are tried where the page comes from.
spec.servers = [{ url: here.replace(/\/$/, "") }];
// Examples of headers would be sent as they are, and make conditions fail.
for (const parameter of Object.values(spec.components.parameters)) {
  if (parameter.in !== "header") continue;
  delete parameter.example;
  delete parameter.examples;
  delete parameter.schema?.example;
  delete parameter.schema?.examples;
}

window.SwaggerUIBundle({
  spec,
  dom_id: "#reference",
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  filter: true,
  persistAuthorization: false,
  validatorUrl: null,
});
