# It takes the objects of requests for open ones, and sends their fields both as they were given and by their names
# in the description, so both have to be the same.
node_tools node
openapi_generator typescript-fetch --additional-properties modelPropertyNaming=original
typescript main.ts
