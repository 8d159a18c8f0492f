"""
The C accelerator: `hexary._native.accelerator`, where it was built.

Its sources are the binding in this folder and the plain C library in ``csrc/``.  Only
`hexary._backends.native` imports it; whether it is used is decided by `hexary.hash`.
"""
