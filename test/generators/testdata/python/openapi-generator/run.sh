python_tools
openapi_generator python
PYTHONPATH=api python main.py
