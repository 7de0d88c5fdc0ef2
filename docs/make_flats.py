"""Write flats.csv and new.csv, the invented tables of docs/your-data.md: words, dates, missing cells, two branches."""

import csv
import datetime
import random
from pathlib import Path

random.seed(1)
rows = []
for i in range(400):
    area = random.uniform(18, 140)
    city = random.choice(["Bern", "Oslo", "Rome"])
    day = datetime.date(2023, 1, 1) + datetime.timedelta(days=random.randrange(1100))
    level = {"Bern": 19, "Oslo": 16, "Rome": 12}[city]
    years = (day - datetime.date(2023, 1, 1)).days / 365
    furnished = random.random() < 0.4  # which nobody wrote down
    rent = level * area**0.95 * (1 + 0.05 * years) + 260 * furnished + random.gauss(0, 3 + 0.6 * area)
    rows.append([f"F{i:03d}", f"{area:.0f}", city, random.choice([1, 2, 3, 4, 5]), day.isoformat(), f"{rent:.0f}"])
for k in random.sample(range(400), 14):
    rows[k][1] = ""
for k in random.sample(range(400), 9):
    rows[k][2] = "NA"
with open("flats.csv", "w", newline="") as f:
    writer = csv.writer(f)
    writer.writerow(["id", "area", "city", "floor", "let", "rent"])
    writer.writerows(rows)
Path("new.csv").write_text(
    "id,area,city,floor,let,note\nN1,54,Oslo,2,2026-03-01,quiet\nN2,,Rome,1,2026-04-15,\nN3,24,,5,2026-05-20,loud\n"
)
