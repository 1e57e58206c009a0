# The client of its default library fails where an answer has null in the place of an object or a word.
openapi_generator java --library native
cp Main.java api/src/main/java
mvn --batch-mode --quiet -f api compile dependency:build-classpath -Dmdep.outputFile=classpath >&2
java -cp "api/target/classes:$(cat api/classpath)" Main
