"""The backend `openai`: any server that speaks the OpenAI API, and how it is asked."""
