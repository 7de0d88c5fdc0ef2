"""The figures of section 5.2, drawn from trained models: what each method predicts."""
