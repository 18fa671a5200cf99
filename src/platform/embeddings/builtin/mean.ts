/**
 * The mean of the vectors of 150 neutral sentences (`node bench/calibrate.ts --mean`), as 32-bit floats in base64.
 * The vectors of e5 all point roughly this way: without the mean, unrelated texts have a cosine of .7 and more.
 */
export const MEAN =
  'bZ1jvWO8ZD21tFI8gkiBPNcf1bzOAA89ExFxPVcbWr3j+4A8T9UgPfcXBD1KfKc78n3svKaoDz3nkdG8DBPdvD3emLx/H4c9' +
  'b0mxvUL23zyJU4Q9KfJLvbQWkLsHCF+9EvcUOHfqWDt6NQE9Fe4+PWg3Qb1Rp7e9uOxXvcp3Erwr+eg8Vja7vEI8gz0VTTO9' +
  'kH6curx0Tz3F4q08mJhFPWpBtrwm1YC9fr5MPX30VL2ED/Y4rOsUvHIvQLxqtlK9mE6qPeqtkbzszNG8RwTTOlWsOT0WeHo9' +
  'gsUyPezCYz0caBM99Dk5Pbq6gj2+M5s9tPZXvDKz6TzhBhu+vM/dPd3EkT3hGBQ95WoevRBQpLzY8568DpnIuzr487wTDLw8' +
  'SxsovDVKVD1qNRi9y1p/PeCw1Dw3ZV092lxOvfn6UDpcMgC96fhTveY27Lwnr9g8byvsu4Xg2ry9ttQ8q3b8vNASALzA7wi9' +
  'UvpVu37QAb3yusc8pvDPvBSw5rywRbW89QdXPW2a8ztH+vi8EgCLPc0b+zylLp88b00TuxLSgb3z79S7Kp4AvTy6pTwIHDm8' +
  '5iPVPJUc57tICPq8HKf0vNAyCz2s1PS8OMo/PS6xizw1n+i8S9dIvVdFnL108007uNdBPZ2w/zxj/oE883icvCv7iDwd5hW9' +
  'fWujPQqtkT3+RjA9f7H/vGEnOj3z22w5wOSrO+0NiruE3R296DU5vM5oOL1ye+c7oCRtPdr/3ToFS/e8UVGJvR90ILywSKy9' +
  'QIsOvLoebT3uf7y9BbICPRXPir0hhQe9CDY1vT4XP7wYX0w9CekZvIHA67uIGEM8tHFYO3N8kD1jYQK9ge8WvA9YK73B2Su8' +
  'k4MkPRkr0z0lmKg83FvZvU9VGz2EA3I8makvPW58Nr3hne47vdxVPTDgvjyf54M8eLayPQZSnLynSDu9qIWyvEMxIz12snS9' +
  '09lhPbtWJL3Zuwu9ebhzPTuXez1QDRG9DBxxvZn/RL05UAc9/JJ+vNaKab0MnGw8gDO2vKG8GD1uvfg8ah5au4ez6LyxSlu9' +
  'WzFAvVo5RL0kU4s9DfkRPVc+kr2SqGU8y5sdvbTHYj3MUvk6ljJAvb1pwbxsjaW89NnivBJCOjwWxVa8IM44vQdE4rz/wx69' +
  'ZQjBPElk17kQsqI81MQ1PBgn+jxr96K9bFGsvatvAb6IFIg7xTYLvRlyWrxatyk9UZ61vM/ZX7yMs/E8LZS9u7uDyTyj60s9' +
  'U/3AvILYnryvyVa76FPwOvCnNj0DPra8D6gDPQk0Rz1zKNC8xtEEvWwtAb2jshm9NMsNvYDlID1NaRm9bgTYPcRPnj1w7Ji6' +
  '6uMZvYk5GDyIruY8kswEPfHQlb0mWew97zURvYohsjzM8KU8pjNpuyKsZr2AO4s9+YquvDMzRjxcf2q9skDfPfdAEb3cEJm8' +
  'C/wwPWSpBb2YHmi86MaHPJ2xEL3JT408OR4IvGFRQr3BCS69pCo1vWQSVDz92ga9Mrc+PEaEPL0HBkO8F6xBPa5u77vNoyC8' +
  'CEEQPToKlLxf6pE8LaX4vMQSorzf8R07qCktPTpaQL0rAYo8pt8nPT+uNzwtWGo9jK+xvKTw9bw9M2O9bpuUvPEO5b2FBqI8' +
  'o1tUPQWtNDyn4eW8K3GavN6AfLxf9XO8umUIvapluDx6ehK7xrJIPe0lWT2XLwe9ylMqvYkaDL5wExa9ssQVPdjoLDzBH228' +
  '3DQ+PRD1ujx/OiY8XAdyvbvUXr3hJqk8BEusPMF2wT1zcAs7BUCAuwPeaT3eAq89qCUIPTBo1rywVpS985zlO7ImDz2fbAE+' +
  'X0uwPPVpwbxmk0w9MELpPBsv0DyG5xg9juXmPAVsLjzMrAG9A3GuPetimbwBmxc97z0rPTbN+7xJdn08fPM4Pdypory7xYw9' +
  'bVF6PfRfl7zloiq9lgGcPTG4VLsLDxy9r/CJvAQG6rvYZe+8UFIgvXJT37wOWH49KlQ+PSKcMD3u/j+966usvRQy2ThljRq9' +
  '+0ZDvTHvgrwaU2i9QCb6Oa9a/7wOWbU8'
