// Shows the description that this service serves. A token that is pasted under
// "Authorize" stays in the memory of the page.
const here = new URL(".", document.baseURI).href;
const answer = await fetch(new URL("api/v1/openapi.json", here));
const spec = await answer.json();
// Operations are tried where the page comes from.
spec.servers = [{ url: here.replace(/\/$/, "") }];

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
