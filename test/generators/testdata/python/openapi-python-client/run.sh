python_tools
openapi-python-client generate --path "$DOCUMENT" --output-path api --meta none >&2
python main.py
