python_tools
python main.py
