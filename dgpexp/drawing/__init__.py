"""How figures look: below both the figures and the report, so that a method has one colour everywhere."""
