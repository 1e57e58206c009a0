// Makes the server a replica set of one member, unless it is one. Run by
// mongosh, it fails until the server is the primary.
try {
  rs.status();
} catch (e) {
  rs.initiate({ _id: "orgd", members: [{ _id: 0, host: "mongodb:27017" }] });
}
if (!db.hello().isWritablePrimary) {
  quit(1);
}
