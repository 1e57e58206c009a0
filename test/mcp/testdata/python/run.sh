install_python() { python3 -m venv "$TOOLS/mcp-python" && "$TOOLS/mcp-python/bin/pip" install -r requirements.txt; }
need python3
once mcp-python install_python
"$TOOLS/mcp-python/bin/python" main.py
