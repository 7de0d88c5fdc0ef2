"""Train AEPMCM with 3 layers on boston from Python. Needs the data: dgpexp data fetch boston."""

from dgpexp.config import Settings
from dgpexp.datasets import load_split
from dgpexp.training.session import Session

for k in range(3):
    session = Session("aepmcm", 3, Settings(epochs=200), load_split("boston", k), seed=k)
    session.advance(session.total_steps)
    metrics = session.evaluate()
    print(f"split {k}: RMSE {metrics['rmse']:.2f}, log-likelihood {metrics['ll']:.2f}")
