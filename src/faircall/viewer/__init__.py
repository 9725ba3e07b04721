"""`faircall view`: reports and running evaluations in a browser, on this machine only, read only.

Werkzeug does HTTP: it is small, well kept, typed, and needs only what the templates need already.
"""
