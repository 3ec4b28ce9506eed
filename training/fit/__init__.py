"""The kit: from a folder of recordings to a package that the service loads. `fit.sh` beside this folder runs it; `__main__.py` has the steps in order."""
