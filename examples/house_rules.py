"""A library in ten lines: the rules of one kitchen table, a disputed roll, and a recorded evening."""

from cinqmille import Rules, keeps, replay

kitchen = Rules.parse("cinq-des(entry=500, min_bank=300, equal_scores=fall, hot_dice=must)")

print("What 1 1 5 3 4 is worth at our table:")
for keep in keeps(kitchen, "11534"):
    made_of = " + ".join(f"{''.join(map(str, meld.dice))}={meld.points}" for meld in keep.melds)
    print(f"  {''.join(map(str, keep.dice)):6}{keep.points:6}   {made_of}")

evening = replay(
    f"""\
rules: {kitchen}
players: Ana, Ben, Chloé
Ana: 11123>111 =1000
Ben: 11124>111 =1000     # Ben arrives on Ana's total: she falls back to 0
Chloé: 15534>155 24>-
"""
)
for name, seat in zip(evening.players, evening.position.seats, strict=True):
    print(f"{name:8}{seat.score:6}   ladder {list(seat.ladder)}")
